// The customers and accounts that wizards offer. Each list is read once, when it is first needed.
import type {BoxLine, BoxRow} from '../cli/output/box.ts'
import {cleanText} from '../cli/output/clean.ts'
import {toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import type {LooseCustomer, LoosePaymentAccount} from '../contract/loose.ts'
import {PagedSearch} from '../cli/ids/paged-search.ts'
import {listCustomers} from '../customers/answers.ts'
import {customerKind} from '../customers/find-customer.ts'
import {SvcError} from '../errors.ts'
import {type RouteEnd, describeAccountOwner, describeRouteEnd, getAccountId} from './describe-account.ts'
import {listAccounts} from './find-account.ts'

export class Directory {
  readonly #client: Client
  readonly #accounts = new Map<string, readonly LoosePaymentAccount[]>()
  readonly customers: PagedSearch<LooseCustomer>

  // Whether svc itself can add accounts.
  readonly isSandbox: boolean

  constructor(client: Client, {isSandbox = false}: {isSandbox?: boolean | undefined} = {}) {
    this.#client = client
    this.isSandbox = isSandbox
    this.customers = new PagedSearch((page) => listCustomers(client, page), 'customers', customerKind)
  }

  #findCustomer = (customerId: unknown) => this.customers.items.find((each) => each.customerId === customerId)

  // The customer's name if it has been read, else the id.
  nameCustomer = (customerId: unknown) => toText(this.#findCustomer(customerId)?.name) || toText(customerId)

  // The name, or else the id, and the status, which is empty if the customer cannot be read: both only explain why there is
  // no account.
  async readCustomer(customerId: string): Promise<{name: string; status: string}> {
    const known = this.#findCustomer(customerId)
    const customer = known ?? (await this.#client.customers.get({customerId}).catch(() => undefined))
    return {
      name: cleanText(toText(customer?.name) || customerId),
      status: cleanText(toText(customer?.customerStatus)),
    }
  }

  // Anew if an account was added.
  async readAccounts(customerId: string, isAnew = false): Promise<void> {
    if (isAnew || !this.#accounts.has(customerId)) {
      this.#accounts.set(customerId, await listAccounts(this.#client, customerId))
    }
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

// Reads who pays whom, so that a person who confirms a payment or a rule sees names and banks beside the ids.
export interface RouteParties {
  customerId: string
  customer?: LooseCustomer | undefined
  // Undefined if they could not be read.
  accounts?: readonly LoosePaymentAccount[] | undefined
  // Whether the service gave no answer for one of them, or none in time. That there is no such customer is an answer.
  isUnanswered?: boolean | undefined
}

// Names are a courtesy: the confirmation does not wait longer for them, and does without them if they cannot be read.
const readMaxMs = 4_000

export async function readParties(client: Client, customerId: string): Promise<RouteParties> {
  let isUnanswered = false
  const readBriefly = <T>(work: Promise<T>): Promise<T | undefined> => {
    const late = new Promise<undefined>((resolve) => {
      const giveUp = () => {
        isUnanswered = true
        resolve(undefined)
      }
      setTimeout(giveUp, readMaxMs).unref()
    })
    const answer = work.catch((error: unknown) => {
      isUnanswered ||= !(error instanceof SvcError && error.kind === 'notFound')
      return undefined
    })
    return Promise.race([answer, late])
  }
  const [customer, accounts] = await Promise.all([
    readBriefly(client.customers.get({customerId})),
    readBriefly(listAccounts(client, customerId)),
  ])
  return {customerId, customer, accounts, isUnanswered}
}

const dim = (text: string): BoxLine => ({text, tone: 'dim'})

export const buildCustomerRow = ({customerId, customer}: RouteParties): BoxRow => ({
  label: 'Customer',
  lines: [{text: toText(customer?.name), tone: 'bold'}, dim(customerId)],
})

interface AccountEnd extends RouteEnd {
  accountId: unknown
}

export function buildAccountRow(label: string, parties: RouteParties, end: AccountEnd): BoxRow {
  const {customer, accounts} = parties
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
