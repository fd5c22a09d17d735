// Lets a person choose one of several items in a terminal.
import stringWidth from 'string-width'
import {cleanText} from '../output/clean.ts'
import {truncateToWidth} from '../output/live-line.ts'
import {pick} from '../prompts/ask.ts'
import {lineWidth} from '../wizard/print.ts'
import {type FindableKind, createNoneError} from './finder.ts'

// The pointer before a choice, and a space.
const pointerWidth = 2
// What stands before and after an answered question.
const markWidth = 4
const shortWidthMin = 12

export async function pickItem<T>(question: string, items: readonly T[], kind: FindableKind<T>): Promise<T> {
  const width = lineWidth()
  const choices = items.map((item) => {
    const name = cleanText(kind.describe(item) || kind.getId(item))
    return {
      name: truncateToWidth(name, width - pointerWidth),
      short: truncateToWidth(name, Math.max(shortWidthMin, width - stringWidth(question) - markWidth)),
      value: item,
      description: kind.getId(item),
      keywords: [kind.getSearchText(item)],
    }
  })
  return pick(question, choices)
}

// Offers all items of a list. Those without an id cannot be meant.
export async function pickFromAll<T>(items: readonly T[], kind: FindableKind<T>, owner = ''): Promise<T> {
  const choices = items.filter((item) => kind.getId(item) !== '')
  if (choices.length > 0) return pickItem(`Which ${kind.singular}?`, choices, kind)
  throw createNoneError(`${kind.plural}${owner && ` of ${owner}`}`)
}
