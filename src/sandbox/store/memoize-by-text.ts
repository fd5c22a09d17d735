// Keeps what was computed from the texts that came last. Rules and payments use the same ids and amounts many times.
const resultsMax = 5_000

export function memoizeByText<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = compute(text)
    if (results.size >= resultsMax) results.clear()
    results.set(text, result)
    return result
  }
}

// The text as JSON.
export const quoteText = memoizeByText((text) => JSON.stringify(text))
