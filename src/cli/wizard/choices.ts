// The choices of a list prompt, and the search in them.
import {foldCase, hasWords} from '../../values/text.ts'
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
  // Found by typing, and not shown: an email, an id.
  keywords?: readonly string[]
}

export const choicesPerPage = 9

// What a prompt shows of a choice may come from the service.
export const cleanChoice = <T>({value, name, description, short, disabled}: Choice<T>) => ({
  value,
  name: cleanText(name),
  ...(description !== undefined && {description: cleanText(description)}),
  ...(short !== undefined && {short: cleanText(short)}),
  ...(disabled !== undefined && {disabled: cleanText(disabled)}),
})

// Ranks a match, best first: the exact value, the start of the name, the start of a word, any part. Of several words, each
// must be found.
function rankMatch({name, value, description = '', keywords = []}: Choice<unknown>, term: string): number {
  const folded = foldCase(name)
  if ([value, ...keywords].some((text) => typeof text === 'string' && foldCase(text) === term)) return 0
  if (folded.startsWith(term)) return 1
  if (folded.split(/[\s(“]+/).some((word) => word.startsWith(term))) return 2
  const text = [folded, foldCase(description), ...keywords.map(foldCase)].join('\n')
  return hasWords(text, term) ? 3 : Number.POSITIVE_INFINITY
}

// Returns the choices that match a search term, best match first.
export function filterChoices<T>(choices: ReadonlyArray<Choice<T>>, searchTerm = ''): Array<Choice<T>> {
  const term = foldCase(searchTerm.trim())
  if (term === '') return [...choices]
  return choices
    .map((choice) => ({choice, rank: rankMatch(choice, term)}))
    .filter(({rank}) => rank !== Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({choice}) => choice)
}
