// Lets a person choose one of several items in a terminal.
import {lineWidth} from '../output/streams.ts'
import stringWidth from 'string-width'
import {cleanText} from '../output/clean.ts'
import {truncateToWidth} from '../output/live-line.ts'
import {pick} from '../prompts/ask.ts'

// The pointer before a choice, and a space.
const pointerWidth = 2
// What stands before and after an answered question.
const markWidth = 4
const shortWidthMin = 12

interface PickableKind<T> {
  getId: (item: T) => string
  describe: (item: T) => string
  getSearchText: (item: T) => string
}

export async function pickItem<T>(question: string, items: readonly T[], kind: PickableKind<T>): Promise<T> {
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
