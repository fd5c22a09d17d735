// Lets a person choose one of several items in a terminal.
import {interrupted} from '../../errors.ts'
import {pick} from '../prompts/pick.ts'
import type {FindableKind} from './finder.ts'

export async function pickItem<T>(question: string, items: readonly T[], kind: FindableKind<T>): Promise<T> {
  const choices = items.map((item) => ({
    name: kind.describe(item) || kind.getId(item),
    value: item,
    description: kind.getId(item),
    keywords: [kind.getSearchText(item)],
  }))
  return pick(question, choices)
}

// Offers all items of a list. Those without an id cannot be meant.
export async function pickFromAll<T>(items: readonly T[], kind: FindableKind<T>, owner = ''): Promise<T> {
  const choices = items.filter((item) => kind.getId(item) !== '')
  if (choices.length > 0) return pickItem(`Which ${kind.singular}?`, choices, kind)
  throw interrupted(`There are no ${kind.plural}${owner && ` of ${owner}`}; nothing was sent`)
}
