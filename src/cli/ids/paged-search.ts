// Searches a list of the service as a person types. Pages are read only as far as they are needed to fill the screen.
import {type Page, type WalkedPage, getCutSign, walkPages} from '../../client/paging.ts'
import {hasWords} from '../../values/text.ts'
import {type Choice, choicesPerPage} from '../wizard/choices.ts'
import {isUuid} from '../../contract/ids.ts'

export interface PagedSearchSettings<T> {
  itemsKey: string
  singular: string
  plural: string
  // To choose from more than these, a person pastes the id.
  countMax: number
  getSearchText: (item: T) => string
  toChoice: (item: T) => Choice<string>
  // Items that are offered after the others.
  isLast?: (item: T) => boolean
}

export class PagedSearch<T> {
  readonly items: T[] = []
  readonly #pages: AsyncGenerator<WalkedPage>
  readonly #settings: PagedSearchSettings<T>
  #isRead = false
  #isCut = false

  constructor(
    fetchPage: (page: {pageSize: number; pageToken?: string}) => Promise<Page>,
    settings: PagedSearchSettings<T>,
  ) {
    this.#settings = settings
    this.#pages = walkPages(fetchPage, settings.itemsKey, {limit: settings.countMax})
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
    const {getSearchText, toChoice, singular, isLast = () => false} = this.#settings
    const wanted = term.trim().toLowerCase()
    for (;;) {
      const found = this.items.filter((item) => hasWords(getSearchText(item), wanted))
      if (found.length === 0 && isUuid(wanted)) return [{name: `the ${singular} ${wanted}`, value: wanted}]
      if (found.length >= choicesPerPage || this.#isRead || signal.aborted) {
        const ranked = [...found.filter((item) => !isLast(item)), ...found.filter(isLast)].map(toChoice)
        return this.#isRead && this.#isCut ? [...ranked, this.#createLimitNotice()] : ranked
      }
      await this.#readMore()
    }
  }

  #createLimitNotice(): Choice<string> {
    return {
      name: `only the first ${this.items.length} ${this.#settings.plural} were searched`,
      value: '',
      disabled: '(paste the id of any other)',
    }
  }
}
