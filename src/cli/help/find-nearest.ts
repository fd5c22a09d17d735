// Finds the known name that is nearest to a mistyped one, if it is near enough.

// The Levenshtein distance, one row at a time.
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
  const candidates = known
    // A name of another length is further away than that. What was typed may be as long as a file.
    .filter((name) => Math.abs(name.length - typed.length) <= distanceMax)
    .map((name) => ({name, away: editDistance(typed, name)}))
    .toSorted((a, b) => a.away - b.away)
  // In a short word, three different letters make another word.
  const awayMax = Math.min(distanceMax, Math.floor(typed.length / 3))
  return candidates[0] && candidates[0].away <= awayMax ? candidates[0].name : undefined
}
