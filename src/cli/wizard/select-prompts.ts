// Prompts with one answer out of several: a list, a search, yes or no.
import {confirm, search, select} from '@inquirer/prompts'
import {cleanText} from '../output/clean.ts'
import {type Choice, choicesPerPage, cleanChoice, filterChoices} from './choices.ts'
import {runNavigable} from './navigation.ts'

// A list longer than one page is searched by typing.
export function askSelect<T>(message: string, choices: ReadonlyArray<Choice<T>>, initial?: T): Promise<T> {
  if (choices.length > choicesPerPage) {
    return askSearch(message, async (term) => filterChoices(choices, term), initial)
  }
  const settings = {
    message: cleanText(message),
    choices: choices.map(cleanChoice),
    pageSize: choicesPerPage,
    loop: false,
  }
  return runNavigable((context) => select<T>({...settings, ...(initial !== undefined && {default: initial})}, context))
}

// `find` is called with what was typed so far. Its signal aborts when the result is no longer needed.
export function askSearch<T>(
  message: string,
  find: (term: string, signal: AbortSignal) => Promise<ReadonlyArray<Choice<T>>>,
  initial?: T,
): Promise<T> {
  const source = async (term: string | undefined, {signal}: {signal: AbortSignal}) =>
    (await find(term ?? '', signal)).map(cleanChoice)
  const settings = {message: cleanText(message), source, pageSize: choicesPerPage}
  return runNavigable((context) => search<T>({...settings, ...(initial !== undefined && {default: initial})}, context))
}

export const askYesNo = (message: string, initial = false): Promise<boolean> =>
  runNavigable((context) => confirm({message: cleanText(message), default: initial}, context))
