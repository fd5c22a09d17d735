// Names the accounts that payments come from and go to, as people recognize them. Names are read from the service when they are
// shown, each customer once in a run, and are kept nowhere.
import {startProgress} from '../cli/output/streams.ts'
import {toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {isUuid} from '../contract/ids.ts'
import {listCustomers} from '../customers/answers.ts'
import {walkPages} from '../client/paging.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {SvcError} from '../errors.ts'
import {countNoun} from '../values/text.ts'
import {describeAccountOwner, describeRouteEnd, getAccountId} from './describe-account.ts'
import {type RouteParties, readParties} from './directory.ts'

// The accounts of more customers are shown by their ids alone.
export const customersNamedMax = 1000
const concurrentReads = 4
// A service that does not answer for so many customers is not asked for the others.
const unansweredMax = 3

// The customer, the owner and the bank, without the id. Empty if nothing is known.
export type NameAccount = (customerId: string, accountId: string) => string

// An account as people recognize it.
export interface NamedAccount {
  // Who owns it: the owner that a bank account names, or the customer.
  name: string
  // Where it is, with its last digits, such as Example Bank ****6789.
  bank: string
}

// A longer list is not read for the names of customers alone.
const customersListedMax = 500

export class PartyNames {
  readonly #connect: () => Promise<Client>
  // Those that were asked for, as far as they could be read.
  readonly #parties = new Map<string, RouteParties>()
  #unanswered = 0

  // Connects only if names are needed.
  constructor(connect: () => Promise<Client>) {
    this.#connect = connect
  }

  // Reads those of these customers that were not read before, with their accounts. A failure leaves their names out.
  async read(customerIds: Iterable<unknown>): Promise<void> {
    await this.#readNew(customerIds, (client, wanted) => this.#readAll(client, wanted.slice(0, customersNamedMax)))
  }

  // Reads the customers alone, as far as one short read finds them.
  async readCustomers(customerIds: Iterable<unknown>): Promise<void> {
    await this.#readNew(customerIds, async (client, [first = '', ...others]) => {
      if (others.length > 0) return this.#readList(client, [first, ...others])
      this.#parties.set(first, {customerId: first, customer: await client.customers.get({customerId: first})})
    })
  }

  async #readNew(customerIds: Iterable<unknown>, read: (client: Client, wanted: string[]) => Promise<void>) {
    const ids = [...customerIds].flatMap((id) => (typeof id === 'string' && isUuid(id) ? id.toLowerCase() : []))
    const wanted = [...new Set(ids)].filter((id) => !this.#parties.has(id))
    if (wanted.length === 0) return
    for (const customerId of wanted) this.#parties.set(customerId, {customerId})
    try {
      await read(await this.#connect(), wanted)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
    }
  }

  async #readList(client: Client, wanted: readonly string[]): Promise<void> {
    const pages = walkPages((page) => listCustomers(client, page), 'customers', {limit: customersListedMax})
    for await (const {items} of pages) {
      for (const customer of items) {
        const customerId = toText(customer.customerId).toLowerCase()
        if (wanted.includes(customerId)) this.#parties.set(customerId, {customerId, customer})
      }
      if (wanted.every((id) => this.#parties.get(id)?.customer)) return
    }
  }

  async #readAll(client: Client, customerIds: readonly string[]): Promise<void> {
    const left = customerIds.values()
    const progress = startProgress()
    let count = 0
    const work = async () => {
      for (const id of left) {
        if (this.#unanswered >= unansweredMax) return
        const parties = await readParties(client, id)
        this.#parties.set(id, parties)
        if (parties.isUnanswered) this.#unanswered++
        progress.report(`${++count} of ${customerIds.length} names read…`)
      }
    }
    await Promise.all(Array.from({length: concurrentReads}, work)).finally(() => progress.end())
  }

  #find(customerId: unknown): RouteParties | undefined {
    return this.#parties.get(toText(customerId).toLowerCase())
  }

  // Empty if it is not known.
  nameCustomer(customerId: unknown): string {
    return toText(this.#find(customerId)?.customer?.name).trim()
  }

  findAccount(customerId: unknown, accountId: unknown): LoosePaymentAccount | undefined {
    if (toText(accountId) === '') return undefined
    return this.#find(customerId)?.accounts?.find((account) => getAccountId(account) === accountId)
  }

  // Undefined if the account is not known.
  nameAccount(customerId: unknown, accountId: unknown): NamedAccount | undefined {
    const account = this.findAccount(customerId, accountId)
    if (!account) return undefined
    const owner = toText(account.externalBankAccount?.bankAccountOwnerName).trim()
    return {name: owner || this.nameCustomer(customerId), bank: describeRouteEnd(account, {currency: '', method: ''})}
  }

  // Such as: Zoë Ångström, Example Bank ****6789. Empty if the account is not known.
  describeAccount(customerId: unknown, accountId: unknown): string {
    const {name, bank} = this.nameAccount(customerId, accountId) ?? {}
    return [name, bank].filter(Boolean).join(', ')
  }

  // What to tell people about names that could not be read. Undefined if there are none.
  describeMissing(): string | undefined {
    const count = [...this.#parties.values()].filter(({customer, accounts}) => !customer || !accounts).length
    if (count === 0) return undefined
    const limit = this.#parties.size > customersNamedMax ? ` (those of at most ${customersNamedMax} are read)` : ''
    return `Names of ${countNoun(count, 'customer')} could not be read from the service${limit}, so ids are shown instead.`
  }
}

// For what is shown or written once. Says so if some could not be read.
export async function readPartyNames(
  connect: () => Promise<Client>,
  customerIds: Iterable<unknown>,
  notice: (text: string) => void,
): Promise<PartyNames> {
  const names = new PartyNames(connect)
  await names.read(customerIds)
  const missing = names.describeMissing()
  if (missing !== undefined) notice(missing)
  return names
}

export async function readAccountNames(client: Client, customerIds: readonly string[]): Promise<NameAccount> {
  const names = new PartyNames(async () => client)
  await names.read(customerIds)
  return (customerId, accountId) => {
    const account = names.findAccount(customerId, accountId)
    const name = names.nameCustomer(customerId)
    const owner = account ? describeAccountOwner(account, name) : ''
    const place = describeRouteEnd(account, {currency: '', method: ''})
    return [name, owner, place].filter((part) => part !== '').join(', ')
  }
}
