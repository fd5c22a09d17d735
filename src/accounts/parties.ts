// Who pays and who is paid: customers and their accounts, read from the service when they are shown, each customer once in a run, and
// kept nowhere.
import type {BoxLine, BoxRow} from '../cli/output/box.ts'
import {startProgress} from '../cli/output/streams.ts'
import {toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {walkPages} from '../client/paging.ts'
import {isUuid} from '../contract/ids.ts'
import type {LooseCustomer, LoosePaymentAccount} from '../contract/loose.ts'
import {listCustomers} from '../customers/answers.ts'
import {SvcError} from '../errors.ts'
import {countNoun} from '../values/text.ts'
import {type RouteEnd, describeAccountOwner, describeRouteEnd, getAccountId, getOwnerName} from './describe-account.ts'
import {listAccounts} from './find-account.ts'

// A customer with its accounts.
export interface Party {
  customerId: string
  customer?: LooseCustomer | undefined
  // Undefined if they could not be read.
  accounts?: readonly LoosePaymentAccount[] | undefined
}

// Names are a courtesy: nothing waits longer for them, and it does without them if they cannot be read.
const readMaxMs = 4_000

const readBriefly = <T>(work: Promise<T>): Promise<T | undefined> => {
  const late = new Promise<undefined>((resolve) => void setTimeout(resolve, readMaxMs, undefined).unref())
  return Promise.race([work.catch(() => undefined), late])
}

export async function readParty(client: Client, customerId: string): Promise<Party> {
  const [customer, accounts] = await Promise.all([
    readBriefly(client.customers.get({customerId})),
    readBriefly(listAccounts(client, customerId)),
  ])
  return {customerId, customer, accounts}
}

// The accounts of more customers are shown by their ids alone.
export const customersNamedMax = 1000
const concurrentReads = 4
// A service that does not answer for so many customers is not asked for the others.
const unansweredMax = 3
// A longer list is not read for the names of customers alone.
const customersListedMax = 500

// An account as people recognize it.
export interface NamedAccount {
  // Who owns it: the owner that a bank account names, or the customer.
  name: string
  // Where it is, with its last digits, such as Example Bank ****6789.
  bank: string
}

const describePlace = (account: LoosePaymentAccount | undefined) =>
  describeRouteEnd(account, {currency: '', method: ''})

export class Parties {
  readonly #connect: () => Promise<Client>
  // Those that were asked for, as far as they could be read.
  readonly #parties = new Map<string, Party>()
  #unanswered = 0

  // Connects only if something has to be read.
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

  // For questions that need the accounts: a failure ends them. They are read anew after one was added.
  async readAccounts(customerId: string, isAnew = false): Promise<void> {
    const known = this.find(customerId)
    if (known?.accounts && !isAnew) return
    const accounts = await listAccounts(await this.#connect(), customerId)
    this.#parties.set(customerId.toLowerCase(), {...known, customerId, accounts})
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
        const party = await readParty(client, id)
        this.#parties.set(id, party)
        if (!party.customer && !party.accounts) this.#unanswered++
        progress.report(`${++count} of ${customerIds.length} names read…`)
      }
    }
    await Promise.all(Array.from({length: concurrentReads}, work)).finally(() => progress.end())
  }

  find(customerId: unknown): Party | undefined {
    return this.#parties.get(toText(customerId).toLowerCase())
  }

  // Empty if it is not known.
  nameCustomer(customerId: unknown): string {
    return toText(this.find(customerId)?.customer?.name).trim()
  }

  findAccount(customerId: unknown, accountId: unknown): LoosePaymentAccount | undefined {
    if (toText(accountId) === '') return undefined
    return this.find(customerId)?.accounts?.find((account) => getAccountId(account) === accountId)
  }

  // Undefined if the account is not known.
  nameAccount(customerId: unknown, accountId: unknown): NamedAccount | undefined {
    const account = this.findAccount(customerId, accountId)
    if (!account) return undefined
    const owner = getOwnerName(account)
    return {name: owner || this.nameCustomer(customerId), bank: describePlace(account)}
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
export async function readParties(
  connect: () => Promise<Client>,
  customerIds: Iterable<unknown>,
  notice: (text: string) => void,
): Promise<Parties> {
  const parties = new Parties(connect)
  await parties.read(customerIds)
  const missing = parties.describeMissing()
  if (missing !== undefined) notice(missing)
  return parties
}

// The customer, the owner and the bank, without the id. Empty if nothing is known.
export type NameAccount = (customerId: string, accountId: string) => string

// For those who approve what is paid: the customer is named beside an owner of another name.
export async function readAccountNames(client: Client, customerIds: readonly string[]): Promise<NameAccount> {
  const parties = new Parties(async () => client)
  await parties.read(customerIds)
  return (customerId, accountId) => {
    const account = parties.findAccount(customerId, accountId)
    const name = parties.nameCustomer(customerId)
    const owner = account ? describeAccountOwner(account, name) : ''
    return [name, owner, describePlace(account)].filter((part) => part !== '').join(', ')
  }
}

const dim = (text: string): BoxLine => ({text, tone: 'dim'})

export const buildCustomerRow = ({customerId, customer}: Party): BoxRow => ({
  label: 'Customer',
  lines: [{text: toText(customer?.name), tone: 'bold'}, dim(customerId)],
})

interface AccountEnd extends RouteEnd {
  accountId: unknown
}

export function buildAccountRow(label: string, {customer, accounts}: Party, end: AccountEnd): BoxRow {
  const accountId = toText(end.accountId)
  const account = accounts?.find((each) => accountId !== '' && getAccountId(each) === accountId)
  return {
    label,
    lines: [
      {text: describeRouteEnd(account, end), tone: 'bold'},
      {text: account ? describeAccountOwner(account, toText(customer?.name)) : ''},
      accounts && !account ? {text: `${accountId} (not in the customer’s list)`} : dim(accountId),
    ],
  }
}
