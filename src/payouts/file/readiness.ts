// Finds the rows that the service would refuse: their customer cannot pay, or an account does not fit the route.
import {
  acceptsRoute,
  canReceive,
  describeAccount,
  getAcceptedRoutes,
  getAccountId,
  isPending,
} from '../../accounts/describe-account.ts'
import {accountsReadMax} from '../../accounts/directory.ts'
import type {Client} from '../../client/client.ts'
import {listEnumValues} from '../../contract/enum-values.ts'
import {type LoosePaymentAccount, readCode} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {joinWithOr} from '../../values/text.ts'
import {forEachConcurrently} from '../run/for-each-concurrently.ts'
import type {ReadAccounts} from './complete-rows.ts'
import type {PayoutRow} from './rows.ts'

// Nothing would keep svc from sending the row, but the service would refuse it.
export class NotReady extends SvcError {}

const notFoundStatus = 'NOT_FOUND'

// The status of each customer. One that does not exist is NOT_FOUND. Any other failure is thrown.
export async function fetchCustomerStatuses(
  client: Client,
  rows: readonly PayoutRow[],
  concurrency: number,
): Promise<Map<string, string>> {
  const statuses = new Map<string, string>()
  const customers = [...new Set(rows.map(({content}) => content.customerId))]
  await forEachConcurrently(customers, concurrency, async (customerId) => {
    try {
      const {customerStatus} = await client.customers.get({customerId})
      statuses.set(customerId, typeof customerStatus === 'string' ? customerStatus : '')
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'notFound') throw error
      statuses.set(customerId, notFoundStatus)
    }
  })
  return statuses
}

const unableStatuses = new Set(listEnumValues('Customer', 'customerStatus').filter((status) => status !== 'ACTIVE'))

// Nothing is concluded from a status that the interface does not define (docs/assumptions.md, P21).
function rejectUnableCustomer({content: {customerId}}: PayoutRow, status: string | undefined): void {
  const code = readCode(status)
  if (code === notFoundStatus) {
    throw new NotReady({error: 'NOT_FOUND', kind: 'notFound', message: `There is no customer ${customerId}`})
  }
  if (!unableStatuses.has(code)) return
  throw new NotReady({
    error: 'CUSTOMER_NOT_ACTIVE',
    kind: 'refused',
    message: `The customer ${customerId} is ${code}, and can pay only once it is ACTIVE`,
  })
}

// The accounts are those of the customer (docs/assumptions.md, P21).
export async function rejectUnready(
  row: PayoutRow,
  status: string | undefined,
  readAccounts: ReadAccounts,
): Promise<void> {
  rejectUnableCustomer(row, status)
  const {customerId, source, destination} = row.content
  const accounts = await readAccounts(customerId)
  const message =
    findAccountProblem(accounts, customerId, {
      column: 'from',
      accountId: source.sourcePaymentAccountId,
      currency: source.sourceCurrency,
      method: source.sourcePaymentMethod,
    }) ??
    findAccountProblem(accounts, customerId, {
      column: 'to',
      accountId: destination.destinationPaymentAccountId,
      currency: destination.destinationCurrency,
      method: destination.destinationPaymentMethod,
    })
  if (message !== undefined) throw new NotReady({error: 'ACCOUNT_NOT_USABLE', kind: 'refused', message})
}

interface UsedAccount {
  column: 'from' | 'to'
  accountId: string
  currency: string
  method: string
}

function describeWrongRoute({column, currency, method}: UsedAccount, account: LoosePaymentAccount): string {
  const {currencies, methods} = getAcceptedRoutes(account)
  const isCurrency = !acceptsRoute(account, currency, undefined)
  const [name, given, {values}] = isCurrency
    ? (['currency', currency, currencies] as const)
    : (['method', method, methods] as const)
  return `${column}-${name} is ${given}, but ${describeAccount(account)} takes ${joinWithOr(values)}`
}

// Undefined if nothing is known to speak against it.
function findAccountProblem(
  accounts: readonly LoosePaymentAccount[],
  customerId: string,
  used: UsedAccount,
): string | undefined {
  const {column, accountId, currency, method} = used
  const account = accounts.find((each) => getAccountId(each) === accountId)
  if (!account) {
    // The list of a customer with very many accounts is not read to its end.
    if (accounts.length >= accountsReadMax) return undefined
    return `The customer ${customerId} has no payment account ${accountId} (${column})`
  }
  if (isPending(account)) return `The payment account ${accountId} (${column}) is PENDING`
  if (column === 'to' && !canReceive(account)) return `${describeAccount(account)} (to) only takes deposits`
  return acceptsRoute(account, currency, method) ? undefined : describeWrongRoute(used, account)
}
