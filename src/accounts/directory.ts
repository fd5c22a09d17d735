// The customers and accounts that a person chooses from: read from the service when they are needed, and once.
import stringWidth from 'string-width'
import type {Client} from '../client/client.ts'
import {type Page, walkPages} from '../client/paging.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'
import {type Account, getAccountId} from './describe-account.ts'
import {type Choice, choicesPerPage} from '../cli/wizard/choices.ts'
import {lineWidth} from '../cli/wizard/print.ts'

type Customer = Readonly<Record<string, unknown>>

// Whoever has more than these pastes the id.
const customersReadMax = 2000
const accountsReadMax = 1000

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const uuidLength = 36
// The pointer before a choice, and the gap before the id.
const besidesLength = 5
const nameLengthMin = 12

const getName = ({name, customerId}: Customer) => cleanText(toText(name) || toText(customerId))

const isActive = ({customerStatus}: Customer) => customerStatus === 'ACTIVE'

// In one line, with ids below each other: Zoë Ångström  4738020a-…
function toChoice(customer: Customer): Choice<string> {
  const {customerId, customerStatus} = customer
  const room = Math.max(nameLengthMin, lineWidth() - uuidLength - besidesLength)
  const status = isActive(customer) ? '' : ` (${cleanText(toText(customerStatus))})`
  const id = cleanText(toText(customerId))
  const name = truncateToWidth(`${getName(customer)}${status}`, room)
  const gap = ' '.repeat(Math.max(0, room - stringWidth(name)))
  return {name: `${name}${gap} ${id}`, value: toText(customerId), short: getName(customer)}
}

const toSearchText = ({name, email, customerId}: Customer) =>
  [name, email, customerId].map(toText).join('\n').toLowerCase()

export class Directory {
  readonly #client: Client
  readonly #pages: AsyncGenerator<{items: unknown[]; resumeToken?: string | undefined}>
  readonly #customers: Customer[] = []
  readonly #accounts = new Map<string, readonly Account[]>()
  #isRead = false
  #isCut = false

  constructor(client: Client) {
    this.#client = client
    const ask = (page: object) => client.customers.list(page) as Promise<Page>
    this.#pages = walkPages(ask, 'customers', {limit: customersReadMax})
  }

  // The first page, so that a service that cannot be read says so before anything is asked.
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
      this.#customers.push(...(page.items as Customer[]))
      this.#isCut = page.resumeToken !== undefined
      this.#isRead ||= !this.#isCut
    }
  }

  // Customers by a part of their name, address or id, those who can pay first. Further pages are read only while what was
  // read so far does not fill the screen.
  async find(term: string, signal: AbortSignal): Promise<Array<Choice<string>>> {
    const wanted = term.trim().toLowerCase()
    for (;;) {
      const found = this.#customers.filter((customer) => toSearchText(customer).includes(wanted))
      if (found.length === 0 && uuid.test(wanted)) return [{name: `the customer ${wanted}`, value: wanted}]
      if (found.length >= choicesPerPage || this.#isRead || signal.aborted) {
        const ranked = [...found.filter(isActive), ...found.filter((customer) => !isActive(customer))].map(toChoice)
        return this.#isRead && this.#isCut ? [...ranked, limitNotice] : ranked
      }
      await this.#readMore()
    }
  }

  // A customer's name, where it has been read.
  describeCustomer(customerId: unknown): string {
    const customer = this.#customers.find((each) => each['customerId'] === customerId)
    return customer ? getName(customer) : cleanText(toText(customerId))
  }

  // Reads them the first time.
  async readAccounts(customerId: string): Promise<readonly Account[]> {
    const getKnownAccounts = this.#accounts.get(customerId)
    if (getKnownAccounts) return getKnownAccounts
    const accounts: Account[] = []
    const ask = (page: object) => this.#client.accounts.list({customerId, ...page}) as Promise<Page>
    const pages = walkPages(ask, 'paymentAccounts', {limit: accountsReadMax})
    for await (const {items} of pages) accounts.push(...(items as Account[]))
    this.#accounts.set(customerId, accounts)
    return accounts
  }

  // Those that were read before.
  known(customerId: unknown): readonly Account[] {
    return this.#accounts.get(toText(customerId)) ?? []
  }

  findAccount(customerId: unknown, accountId: unknown): Account | undefined {
    return this.known(customerId).find((account) => accountId !== undefined && getAccountId(account) === accountId)
  }
}

const limitNotice: Choice<string> = {
  name: `only the first ${customersReadMax} were looked through`,
  value: '',
  disabled: '(paste the id of any other)',
}
