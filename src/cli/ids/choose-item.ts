// Lets a person choose from a list in a terminal. A list of the service is searched as he types, and its pages are read only as far as
// they are needed to fill the screen.
import {cleanText} from '../output/clean.ts'
import {lineWidth} from '../output/streams.ts'
import {pick} from '../prompts/ask.ts'
import {type Page, type WalkedPage, getCutSign, walkPages} from '../../client/paging.ts'
import {hasWords} from '../../values/text.ts'
import {type Choice, choicesPerPage} from '../wizard/choices.ts'
import {truncateToWidth} from '../output/live-line.ts'
import {isUuid} from '../../contract/ids.ts'
import {type FindableKind, createNoneError, listWithId} from './findable.ts'

// To choose from more than these, a person pastes the id.
const itemsReadMax = 2000

// The pointer before a choice.
const pointerWidth = 2

const answerWidthMin = 20

// An answered question shows as much of the item as fits behind it.
function toChoice<T>(question: string, item: T, {getId, describe, getSearchText}: FindableKind<T>) {
  const name = cleanText(describe(item) || getId(item))
  const room = lineWidth() - pointerWidth - question.length - 1
  return {
    name: truncateToWidth(name, lineWidth() - pointerWidth),
    short: truncateToWidth(name, Math.max(room, answerWidthMin)),
    description: getId(item),
    keywords: [getSearchText(item)],
  }
}

// Lets a person choose one of several items that were read.
export const pickItem = <T>(question: string, items: readonly T[], kind: FindableKind<T>): Promise<T> =>
  pick(
    question,
    items.map((item) => ({...toChoice(question, item, kind), value: item})),
  )

export class PagedSearch<T> {
  readonly items: T[] = []
  readonly #pages: AsyncGenerator<WalkedPage>
  readonly #kind: FindableKind<T>
  #isRead = false
  #isCut = false

  constructor(
    fetchPage: (page: {pageSize: number; pageToken?: string}) => Promise<Page>,
    itemsKey: string,
    kind: FindableKind<T>,
  ) {
    this.#kind = kind
    this.#pages = walkPages(fetchPage, itemsKey, {limit: itemsReadMax})
  }

  // Reads the first page, so that an unreachable service fails before the first question. `hint` says how to come to an item.
  async open(hint?: string): Promise<void> {
    if (this.items.length === 0) await this.#readMore()
    if (this.#isRead && this.items.length === 0) throw createNoneError(this.#kind.plural, hint)
  }

  // Returns the id of the item that a person chooses.
  pick(): Promise<string> {
    return pick(this.#question, (term, signal) => this.find(term, signal))
  }

  get #question(): string {
    return `Which ${this.#kind.singular}?`
  }

  async #readMore(): Promise<void> {
    const {value: page, done} = await this.#pages.next()
    if (done) this.#isRead = true
    else {
      this.items.push(...(page.items as T[]))
      this.#isCut = page.resumeToken !== undefined || getCutSign(page.envelope) !== undefined
      this.#isRead ||= !this.#isCut
    }
  }

  async find(term: string, signal: AbortSignal): Promise<Array<Choice<string>>> {
    const {getId, getSearchText, singular} = this.#kind
    const wanted = term.trim().toLowerCase()
    for (;;) {
      const found = listWithId(this.items, this.#kind).filter((item) =>
        hasWords(`${getSearchText(item)}\n${getId(item)}`, wanted),
      )
      if (found.length === 0 && isUuid(wanted)) return [{name: `the ${singular} ${wanted}`, value: wanted}]
      if (found.length >= choicesPerPage || this.#isRead || signal.aborted) {
        const choices = found.map((item) => ({...toChoice(this.#question, item, this.#kind), value: getId(item)}))
        return this.#isRead && this.#isCut ? [...choices, this.#createLimitNotice()] : choices
      }
      await this.#readMore()
    }
  }

  #createLimitNotice(): Choice<string> {
    return {
      name: `only the first ${this.items.length} ${this.#kind.plural} were searched`,
      value: '',
      disabled: '(paste the id of any other)',
    }
  }
}
