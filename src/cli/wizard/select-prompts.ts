// Prompts with one answer out of several: a list that typing filters, yes or no.
import {confirm} from '@inquirer/prompts'
import {cleanText} from '../output/clean.ts'
import {pickNavigable} from '../prompts/pick.ts'
import type {FindChoices, PickOptions} from '../prompts/pick-prompt.ts'
import type {Choice} from './choices.ts'
import {type Shortcuts, runNavigable} from './navigation.ts'

export const askSelect = <T>(
  message: string,
  choices: ReadonlyArray<Choice<T>>,
  initial?: T,
  shortcuts?: Shortcuts<T>,
  options?: PickOptions,
): Promise<T> => pickNavigable(message, choices, initial, shortcuts, options)

export const askSearch = <T>(message: string, find: FindChoices<T>, initial?: T): Promise<T> =>
  pickNavigable(message, find, initial)

export const askYesNo = (message: string, initial = false): Promise<boolean> =>
  runNavigable((context) => confirm({message: cleanText(message), default: initial}, context))
