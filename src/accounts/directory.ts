// The customers and accounts that wizards offer. Each list is read once, when it is first needed.
import type {Client} from '../client/client.ts'
import {type Page, walkPages} from '../client/paging.ts'
import {toText} from '../cli/output/view.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {CustomerSearch} from '../customers/customer-search.ts'
import type {ServiceState} from '../transport.ts'
import {getAccountId} from './accepted-routes.ts'
import type {Balances} from './balance-text.ts'
import type {Choice} from '../cli/wizard/choices.ts'

// To choose from more than these, a person pastes the id.
export const accountsReadMax = 1000

export class Directory {
  readonly #client: Client
  readonly #customers: CustomerSearch
  readonly #accounts = new Map<string, readonly LoosePaymentAccount[]>()

  readonly #listBalances: ServiceState['listBalances']

  constructor(client: Client, {listBalances}: {listBalances?: ServiceState['listBalances'] | undefined} = {}) {
    this.#client = client
    this.#listBalances = listBalances
    this.#customers = new CustomerSearch(client)
  }

  // Reads the first page of customers, so that an unreachable service fails before the first question.
  async open(): Promise<void> {
    await this.#customers.open()
  }

  get isEmpty(): boolean {
    return this.#customers.isEmpty
  }

  async find(term: string, signal: AbortSignal): Promise<Array<Choice<string>>> {
    return this.#customers.find(term, signal)
  }

  // The customer's name if it has been read, else the id.
  describeCustomer(customerId: unknown): string {
    return this.#customers.describe(customerId)
  }

  // The name, or else the id, and the status, which is empty if the customer cannot be read: both only explain why there is
  // no account.
  async readCustomer(customerId: string): Promise<{name: string; status: string}> {
    const known = this.#customers.findKnown(customerId)
    const customer = known ?? (await this.#client.customers.get({customerId}).catch(() => undefined))
    return {
      name: cleanText(toText(customer?.name) || customerId),
      status: cleanText(toText(customer?.customerStatus)),
    }
  }

  // Only the embedded sandbox tells balances.
  get isSandbox(): boolean {
    return this.#listBalances !== undefined
  }

  // By account. Empty before the accounts of the customer were read.
  listBalances(customerId: unknown): Record<string, Balances> {
    const owner = this.#accounts.has(toText(customerId)) ? toText(customerId) : undefined
    return (owner && this.#listBalances?.(owner)) || {}
  }

  async readAccounts(customerId: string): Promise<readonly LoosePaymentAccount[]> {
    const known = this.#accounts.get(customerId)
    if (known) return known
    const accounts: LoosePaymentAccount[] = []
    const ask = (page: object) => this.#client.accounts.list({customerId, ...page}) as Promise<Page>
    const pages = walkPages(ask, 'paymentAccounts', {limit: accountsReadMax})
    for await (const {items} of pages) accounts.push(...(items as LoosePaymentAccount[]))
    this.#accounts.set(customerId, accounts)
    return accounts
  }

  getKnownAccounts(customerId: unknown): readonly LoosePaymentAccount[] {
    return this.#accounts.get(toText(customerId)) ?? []
  }

  findAccount(customerId: unknown, accountId: unknown): LoosePaymentAccount | undefined {
    return this.getKnownAccounts(customerId).find(
      (account) => accountId !== undefined && getAccountId(account) === accountId,
    )
  }
}
