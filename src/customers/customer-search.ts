// Searches customers as a person types, by name, email and id. Pages are read only as far as they are needed.
import stringWidth from 'string-width'
import type {Client} from '../client/client.ts'
import {getCutSign} from '../client/list-end.ts'
import {type Page, type WalkedPage, walkPages} from '../client/paging.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'
import {type Choice, choicesPerPage} from '../cli/wizard/choices.ts'
import {lineWidth} from '../cli/wizard/print.ts'
import {isUuid} from '../cli/ids/reference.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {hasWords} from '../validation/search-words.ts'

// To choose from more than these, a person pastes the id.
const customersReadMax = 2000

const uuidLength = 36
// The pointer before a choice, and the space before the id.
const besidesLength = 5
const nameLengthMin = 12

const getName = ({name, customerId}: LooseCustomer) => cleanText(toText(name) || toText(customerId))

const isActive = ({customerStatus}: LooseCustomer) => readCode(customerStatus) === 'ACTIVE'

// One line with aligned ids, such as: Zoë Ångström  4738020a-…
function toChoice(customer: LooseCustomer): Choice<string> {
  const {customerId, customerStatus} = customer
  const nameWidth = Math.max(nameLengthMin, lineWidth() - uuidLength - besidesLength)
  const status = isActive(customer) ? '' : ` (${cleanText(toText(customerStatus))})`
  const id = cleanText(toText(customerId))
  const name = truncateToWidth(`${getName(customer)}${status}`, nameWidth)
  const gap = ' '.repeat(Math.max(0, nameWidth - stringWidth(name)))
  return {name: `${name}${gap} ${id}`, value: toText(customerId), short: getName(customer)}
}

export const toSearchText = ({name, email, customerId}: LooseCustomer) =>
  [name, email, customerId].map(toText).join('\n')

export class CustomerSearch {
  readonly #pages: AsyncGenerator<WalkedPage>
  readonly #customers: LooseCustomer[] = []
  #isRead = false
  #isCut = false

  constructor(client: Client, organizationId?: string) {
    const query = {...(organizationId && {organizationId})}
    const ask = (page: object) => client.customers.list({...query, ...page}) as Promise<Page>
    this.#pages = walkPages(ask, 'customers', {limit: customersReadMax})
  }

  // Reads the first page, so that an unreachable service fails before the first question.
  async open(): Promise<void> {
    if (this.#customers.length === 0) await this.#readMore()
  }

  get isEmpty(): boolean {
    return this.#isRead && this.#customers.length === 0
  }

  async #readMore(): Promise<void> {
    const {value: page, done} = await this.#pages.next()
    if (done) this.#isRead = true
    else {
      this.#customers.push(...(page.items as LooseCustomer[]))
      this.#isCut = page.resumeToken !== undefined || getCutSign(page.envelope) !== undefined
      this.#isRead ||= !this.#isCut
    }
  }

  // Finds customers by part of their name, email or id; active ones come first. Reads further pages only until the results
  // fill the screen.
  async find(term: string, signal: AbortSignal): Promise<Array<Choice<string>>> {
    const wanted = term.trim().toLowerCase()
    for (;;) {
      const found = this.#customers.filter((customer) => hasWords(toSearchText(customer), wanted))
      if (found.length === 0 && isUuid(wanted)) return [{name: `the customer ${wanted}`, value: wanted}]
      if (found.length >= choicesPerPage || this.#isRead || signal.aborted) {
        const ranked = [...found.filter(isActive), ...found.filter((customer) => !isActive(customer))].map(toChoice)
        return this.#isRead && this.#isCut ? [...ranked, createLimitNotice(this.#customers.length)] : ranked
      }
      await this.#readMore()
    }
  }

  // The customer's name if it has been read, else the id.
  describe(customerId: unknown): string {
    const customer = this.#customers.find((each) => each.customerId === customerId)
    return customer ? getName(customer) : cleanText(toText(customerId))
  }
}

const createLimitNotice = (count: number): Choice<string> => ({
  name: `only the first ${count} customers were searched`,
  value: '',
  disabled: '(paste the id of any other)',
})
