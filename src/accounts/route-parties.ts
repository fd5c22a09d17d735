// Reads who pays whom, so that a person who confirms a payment or a rule sees names and banks beside the ids.
import type {Client} from '../client/client.ts'
import {toText} from '../cli/output/view.ts'
import type {LooseCustomer, LoosePaymentAccount} from '../contract/loose.ts'
import type {BoxLine, BoxRow} from '../cli/output/box.ts'
import type {ServiceState} from '../transport.ts'
import {getAccountId} from './accepted-routes.ts'
import {type Balances, formatBalance, isMoreThanBalance} from './balance-text.ts'
import {type RouteEnd, describeAccountOwner, describeRouteEnd} from './describe-account.ts'
import {Directory} from './directory.ts'

export interface RouteParties {
  customerId: string
  customer?: LooseCustomer | undefined
  // Undefined if they could not be read.
  accounts?: readonly LoosePaymentAccount[] | undefined
  // By account and currency. Absent if the service tells no balances.
  balances?: Readonly<Record<string, Balances>> | undefined
}

// Names are a courtesy: the confirmation does not wait longer for them, and does without them if they cannot be read.
const readMaxMs = 4_000

const ignoreFailure = () => undefined

async function waitAtMost<T>(work: Promise<T | undefined>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, readMaxMs, undefined)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export async function readParties(
  client: Client,
  customerId: string,
  listBalances?: ServiceState['listBalances'],
): Promise<RouteParties> {
  const [customer, accounts] = await Promise.all([
    waitAtMost(client.customers.get({customerId}).catch(ignoreFailure)),
    waitAtMost(new Directory(client).readAccounts(customerId).catch(ignoreFailure)),
  ])
  return {customerId, customer, accounts, balances: listBalances?.(customerId)}
}

const dim = (text: string): BoxLine => ({text, tone: 'dim'})

export const buildCustomerRow = ({customerId, customer}: RouteParties): BoxRow => ({
  label: 'Customer',
  lines: [{text: toText(customer?.name), tone: 'bold'}, dim(customerId)],
})

export interface AccountEnd extends RouteEnd {
  accountId: unknown
  // The amount that leaves. Absent at the end that receives.
  amount?: unknown
}

// What an account that pays holds, where it is known.
function describeHeld({balances}: RouteParties, {accountId, currency, amount}: AccountEnd): string {
  const known = amount === undefined ? {} : (balances?.[toText(accountId)] ?? {})
  const held = formatBalance(known, toText(currency))
  if (held === undefined) return ''
  return isMoreThanBalance(toText(amount), known, toText(currency)) ? `holds only ${held}` : `holds ${held}`
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
      {text: describeHeld(parties, end)},
      accounts && !account ? {text: `${accountId} (not in the customer’s list)`} : dim(accountId),
    ],
  }
}
