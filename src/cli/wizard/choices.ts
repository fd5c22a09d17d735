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
  // Listed last, whatever is typed: it is for what is not in the list.
  isForOthers?: boolean
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

// Returns the choices that match a search term: the exact value first, then the start of the name, the start of a word, any part. Of
// several words, each must be found.
export function filterChoices<T>(choices: ReadonlyArray<Choice<T>>, searchTerm = ''): Array<Choice<T>> {
  const term = foldCase(searchTerm.trim())
  if (term === '') return [...choices]
  const rankMatch = ({name, value, keywords = []}: Choice<T>) => {
    const folded = foldCase(name)
    if ([value, ...keywords].some((text) => typeof text === 'string' && foldCase(text) === term)) return 0
    return folded.startsWith(term) ? 1 : folded.split(/[\s(“]+/).some((word) => word.startsWith(term)) ? 2 : 3
  }
  const found = choices
    .filter(({name, value, description = '', keywords = [], isForOthers}) => {
      const texts = [name, typeof value === 'string' ? value : '', description, ...keywords]
      return !isForOthers && hasWords(texts.join('\n'), term)
    })
    .toSorted((one, other) => rankMatch(one) - rankMatch(other))
  return [...found, ...choices.filter(({isForOthers}) => isForOthers)]
}
