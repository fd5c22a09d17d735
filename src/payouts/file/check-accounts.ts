// Checks whether the accounts of a row exist, belong to its customer, and can take its currencies and methods.
import {acceptsRoute, canReceive, getAcceptedRoutes, getAccountId, isPending} from '../../accounts/accepted-routes.ts'
import {describeAccount} from '../../accounts/describe-account.ts'
import {accountsReadMax} from '../../accounts/directory.ts'
import type {LoosePaymentAccount} from '../../contract/loose.ts'
import type {PayoutRow} from './rows.ts'
import {joinWithOr} from '../../values/text.ts'

interface UsedAccount {
  accountId: string
  currency: string
  method: string
}

function describeWrongRoute(column: 'from' | 'to', account: LoosePaymentAccount, used: UsedAccount): string {
  const {currencies, methods} = getAcceptedRoutes(account)
  const isCurrency = !acceptsRoute(account, used.currency, undefined)
  const [name, given, {values}] = isCurrency
    ? (['currency', used.currency, currencies] as const)
    : (['method', used.method, methods] as const)
  return `${column}-${name} is ${given}, but ${describeAccount(account)} takes ${joinWithOr(values)}`
}

const fittingShownMax = 3

// What the row may have meant.
function describeFitting(accounts: readonly LoosePaymentAccount[], column: 'from' | 'to', used: UsedAccount): string {
  const fitting = accounts.filter(
    (account) =>
      !isPending(account) &&
      (column === 'from' || canReceive(account)) &&
      acceptsRoute(account, used.currency, used.method),
  )
  if (fitting.length === 0) return ''
  const names = fitting
    .slice(0, fittingShownMax)
    .map((account) => `${describeAccount(account)} (${getAccountId(account)})`)
  const more = fitting.length - names.length
  return `; it has ${joinWithOr(more > 0 ? [...names, `${more} more`] : names)}`
}

function findAccountProblem(
  accounts: readonly LoosePaymentAccount[],
  column: 'from' | 'to',
  used: UsedAccount,
  customerId: string,
): string | undefined {
  const account = accounts.find((each) => getAccountId(each) === used.accountId)
  if (!account) {
    // The list of a customer with very many accounts is not read to its end.
    if (accounts.length >= accountsReadMax) return undefined
    return `The customer ${customerId} has no payment account ${used.accountId} (${column})${describeFitting(accounts, column, used)}`
  }
  if (isPending(account)) return `The payment account ${used.accountId} (${column}) is PENDING`
  if (column === 'to' && !canReceive(account)) return `${describeAccount(account)} (to) only takes deposits`
  return acceptsRoute(account, used.currency, used.method) ? undefined : describeWrongRoute(column, account, used)
}

// Undefined if nothing is known to speak against the row.
export function findRouteProblem(
  {content: {customerId, source, destination}}: PayoutRow,
  accounts: readonly LoosePaymentAccount[],
): string | undefined {
  const from = {
    accountId: source.sourcePaymentAccountId,
    currency: source.sourceCurrency,
    method: source.sourcePaymentMethod,
  }
  const to = {
    accountId: destination.destinationPaymentAccountId,
    currency: destination.destinationCurrency,
    method: destination.destinationPaymentMethod,
  }
  return findAccountProblem(accounts, 'from', from, customerId) ?? findAccountProblem(accounts, 'to', to, customerId)
}
