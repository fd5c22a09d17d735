// The choices of a list prompt, and the search in them.
import {cleanText} from '../output/clean.ts'

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

// What a prompt shows of a choice may come from the service. Only a reason has more than one line, written by us.
export const cleanChoice = <T>({name, value, description, short, disabled}: Choice<T>): Choice<T> => ({
  name: cleanText(name),
  value,
  ...(description !== undefined && {description: cleanText(description)}),
  ...(short !== undefined && {short: cleanText(short)}),
  ...(disabled !== undefined && {disabled: disabled.split('\n').map(cleanText).join('\n')}),
})

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
