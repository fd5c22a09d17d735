// Checks that account, method and currency match at both ends of a route, and that the route is offered.
import type {Problem} from '../../../contract/problems.ts'
import type {Database} from '../../store/database.ts'
import {ServiceError} from '../../http/service-error.ts'
import {findAccountRow, type AccountRow, type AccountType} from './account-store.ts'
import {listCurrencies, isFiat, type PaymentMethod, listRails} from './currencies.ts'

type Side = 'source' | 'destination'

interface RouteEnd {
  accountId: string
  method: string
  currency: string
}

const accountTypeNames: Readonly<Record<AccountType, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'an external bank account',
  SVC_AUTO_FIAT_ACCOUNT: 'an automatic fiat account',
  EXTERNAL_CRYPTO_WALLET: 'an external wallet',
  SVC_CRYPTO_WALLET: 'a service-managed wallet',
}

// For example source.sourcePaymentMethod.
const getFieldPath = (side: Side, field: 'PaymentAccountId' | 'PaymentMethod' | 'Currency') => `${side}.${side}${field}`

// An automatic fiat account accepts every rail of its currency, any other account only its own rail or chain.
const listMethods = ({method, currency}: AccountRow): string[] =>
  method === null ? listRails(currency ?? '') : [method]

function listAccountCurrencies({currency}: AccountRow, method: string): string[] {
  return currency === null ? listCurrencies(method as PaymentMethod) : [currency]
}

const joinWithOr = (values: readonly string[]) => values.join(' or ')

function checkAccount(side: Side, account: AccountRow, customerId: string): string | undefined {
  if (account.customerId.toLowerCase() !== customerId.toLowerCase()) return 'belongs to another customer'
  if (account.paymentAccountStatus !== 'ACTIVE') return `is ${account.paymentAccountStatus}: it must be ACTIVE`
  if (side === 'destination' && account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') {
    return 'is an automatic fiat account, which can only be a source'
  }
  return undefined
}

// Throws NOT_FOUND if the account does not exist.
export function getRouteAccount(database: Database, side: Side, {accountId}: RouteEnd): AccountRow {
  const account = findAccountRow(database, accountId)
  if (account) return account
  const path = getFieldPath(side, 'PaymentAccountId')
  throw new ServiceError('NOT_FOUND', `${path}: there is no payment account ${accountId}`)
}

// Lists the problems of one end of a route.
export function checkRouteEnd(side: Side, end: RouteEnd, account: AccountRow, customerId: string): Problem[] {
  const path = getFieldPath(side, 'PaymentAccountId')
  const message = checkAccount(side, account, customerId)
  if (message) return [{path, message}]
  const methods = listMethods(account)
  const problems: Problem[] = []
  if (!methods.includes(end.method)) {
    const what = accountTypeNames[account.paymentAccountType]
    problems.push({
      path: getFieldPath(side, 'PaymentMethod'),
      message: `must be ${joinWithOr(methods)}: the account is ${what}`,
    })
  }
  const currencies = listAccountCurrencies(account, methods[0] ?? '')
  if (!currencies.includes(end.currency)) {
    problems.push({path: getFieldPath(side, 'Currency'), message: `must be ${joinWithOr(currencies)} for this account`})
  }
  return problems
}

// Routes go from fiat to crypto, from crypto to fiat, or from crypto to crypto, and never from an account to itself.
export function checkRouteBetween(source: RouteEnd, destination: RouteEnd): Problem[] {
  if (source.accountId.toLowerCase() === destination.accountId.toLowerCase()) {
    return [{path: getFieldPath('destination', 'PaymentAccountId'), message: 'must not be the source account'}]
  }
  if (isFiat(source.method) && isFiat(destination.method)) {
    return [
      {
        path: getFieldPath('destination', 'PaymentMethod'),
        message: 'must be a crypto network: a route from fiat to fiat is not offered',
      },
    ]
  }
  return []
}
