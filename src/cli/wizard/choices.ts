// The choices of a list prompt, and the search in them.

export interface Choice<T> {
  name: string
  value: T
  // Shown while the choice is highlighted.
  description?: string
  // Shown after the choice was made, if the name is longer than needed then.
  short?: string
  // The reason why the choice cannot be made; it is listed all the same.
  disabled?: string
}

export const choicesPerPage = 9

// Ranks a match, best first: the exact value, the start of the name, the start of a word, any part.
function rankMatch({name, value, description = ''}: Choice<unknown>, term: string): number {
  const lower = name.toLowerCase()
  if (typeof value === 'string' && value.toLowerCase() === term) return 0
  if (lower.startsWith(term)) return 1
  if (lower.split(/[\s(]+/).some((word) => word.startsWith(term))) return 2
  return `${lower}\n${description.toLowerCase()}`.includes(term) ? 3 : Number.POSITIVE_INFINITY
}

// Returns the choices that match a search term, best match first.
export function filterChoices<T>(choices: ReadonlyArray<Choice<T>>, searchTerm = ''): Array<Choice<T>> {
  const term = searchTerm.trim().toLowerCase()
  if (term === '') return [...choices]
  return choices
    .map((choice) => ({choice, rank: rankMatch(choice, term)}))
    .filter(({rank}) => rank !== Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({choice}) => choice)
}
