// The known name that is nearest to what was typed, if it is near enough to be worth naming.

// Levenshtein's distance, one row at a time.
function editDistance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()]
  for (const [i, left] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, right] of b.split('').entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (left === right ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const distanceMax = 3

export function findNearest(typed: string, known: readonly string[]): string | undefined {
  const candidates = known.map((name) => ({name, away: editDistance(typed, name)})).toSorted((a, b) => a.away - b.away)
  // Of a short word, half would be another word altogether.
  const awayMax = Math.min(distanceMax, Math.floor(typed.length / 3))
  return candidates[0] && candidates[0].away <= awayMax ? candidates[0].name : undefined
}
