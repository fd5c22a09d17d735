// Searches a list of the service as a person types. Pages are read only as far as they are needed to fill the screen.
import {lineWidth} from '../output/streams.ts'
import {type Page, type WalkedPage, getCutSign, walkPages} from '../../client/paging.ts'
import {hasWords} from '../../values/text.ts'
import {type Choice, choicesPerPage} from '../wizard/choices.ts'
import {truncateToWidth} from '../output/live-line.ts'
import {isUuid} from '../../contract/ids.ts'
import {type FindableKind, listWithId} from './finder.ts'

// To choose from more than these, a person pastes the id.
const itemsReadMax = 2000

// The pointer before a choice.
const pointerWidth = 2

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

  // Reads the first page, so that an unreachable service fails before the first question.
  async open(): Promise<void> {
    if (this.items.length === 0) await this.#readMore()
  }

  get isEmpty(): boolean {
    return this.#isRead && this.items.length === 0
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
    const {getId, getSearchText, describe, singular} = this.#kind
    const wanted = term.trim().toLowerCase()
    for (;;) {
      const found = listWithId(this.items, this.#kind).filter((item) =>
        hasWords(`${getSearchText(item)}\n${getId(item)}`, wanted),
      )
      if (found.length === 0 && isUuid(wanted)) return [{name: `the ${singular} ${wanted}`, value: wanted}]
      if (found.length >= choicesPerPage || this.#isRead || signal.aborted) {
        const choices = found.map((item) => {
          const name = truncateToWidth(describe(item) || getId(item), lineWidth() - pointerWidth)
          return {name, value: getId(item), description: getId(item)}
        })
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
