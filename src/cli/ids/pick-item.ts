// Lets a person choose one of several items in a terminal.
import {pick} from '../prompts/pick.ts'
import type {FindableKind} from './finder.ts'

export async function pickItem<T>(question: string, items: readonly T[], kind: FindableKind<T>): Promise<T> {
  const choices = items.map((item) => ({
    name: kind.describe(item),
    value: item,
    description: kind.getId(item),
    keywords: [kind.getSearchText(item)],
  }))
  return pick(question, choices)
}
