// Checks that account, method and currency match at both ends of a route, and that the route is offered, for quotes and for rules.
import type {Problem} from '../../../contract/problems.ts'
import type {Database} from '../../store/database.ts'
import {type AccountRow, type AccountType, findAccountRow} from './accounts.ts'
import {type PaymentMethod, isFiat, listCurrencies, listRails} from './currencies.ts'

type Side = 'source' | 'destination'

// As requests have it.
interface RouteRequest {
  source: {sourcePaymentAccountId: string; sourcePaymentMethod: PaymentMethod; sourceCurrency: string}
  destination: {
    destinationPaymentAccountId: string
    destinationPaymentMethod: PaymentMethod
    destinationCurrency: string
  }
}

export interface RouteEnd {
  accountId: string
  // The number under which transactions of the account are listed.
  accountSeq: number
  accountType: AccountType
  method: PaymentMethod
  currency: string
}

interface RouteSettings {
  // The path of the object that has both ends, with a dot at its end.
  within?: string
  sourceTypes?: readonly AccountType[]
  // The problem with an id that no account has.
  describeMissing: (path: string, accountId: string) => Problem
}

const accountTypeNames: Readonly<Record<AccountType, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'an external bank account',
  SVC_AUTO_FIAT_ACCOUNT: 'an automatic fiat account',
  EXTERNAL_CRYPTO_WALLET: 'an external wallet',
  SVC_CRYPTO_WALLET: 'a service-managed wallet',
}

const destinationTypes: readonly AccountType[] = [
  'EXTERNAL_BANK_ACCOUNT',
  'SVC_CRYPTO_WALLET',
  'EXTERNAL_CRYPTO_WALLET',
]
const sourceTypesDefault: readonly AccountType[] = [...destinationTypes, 'SVC_AUTO_FIAT_ACCOUNT']

// An automatic fiat account accepts every rail of its currency, any other account only its own rail or chain.
const listMethods = ({method, currency}: AccountRow): string[] =>
  method === null ? listRails(currency ?? '') : [method]

const listAccountCurrencies = ({currency}: AccountRow, method: string): string[] =>
  currency === null ? listCurrencies(method as PaymentMethod) : [currency]

const joinWithOr = (values: readonly string[]) => values.join(' or ')

function checkAccount(account: AccountRow, customerId: string, types: readonly AccountType[]): string | undefined {
  const {paymentAccountType: type, paymentAccountStatus: status} = account
  if (account.customerId.toLowerCase() !== customerId.toLowerCase()) return 'belongs to another customer'
  if (status !== 'ACTIVE') return `is ${status}: it must be ACTIVE`
  if (types.includes(type)) return undefined
  return `is ${accountTypeNames[type]}: it must be ${joinWithOr(types.map((each) => accountTypeNames[each]))}`
}

type GetPath = (side: Side, field: 'PaymentAccountId' | 'PaymentMethod' | 'Currency') => string

function checkEnd(
  getPath: GetPath,
  side: Side,
  end: Pick<RouteEnd, 'method' | 'currency'>,
  account: AccountRow,
): Problem[] {
  const methods = listMethods(account)
  const currencies = listAccountCurrencies(account, methods[0] ?? '')
  const what = accountTypeNames[account.paymentAccountType]
  return [
    ...(methods.includes(end.method)
      ? []
      : [{path: getPath(side, 'PaymentMethod'), message: `must be ${joinWithOr(methods)}: the account is ${what}`}]),
    ...(currencies.includes(end.currency)
      ? []
      : [{path: getPath(side, 'Currency'), message: `must be ${joinWithOr(currencies)} for this account`}]),
  ]
}

// Routes go from fiat to crypto, from crypto to fiat, or from crypto to crypto, and never from an account to itself.
export function checkRoute(
  database: Database,
  customerId: string,
  {source, destination}: RouteRequest,
  {within = '', sourceTypes = sourceTypesDefault, describeMissing}: RouteSettings,
): {source: RouteEnd; destination: RouteEnd} | {problems: Problem[]} {
  // For example source.sourcePaymentMethod.
  const getPath: GetPath = (side, field) => `${within}${side}.${side}${field}`
  const from = {
    accountId: source.sourcePaymentAccountId,
    method: source.sourcePaymentMethod,
    currency: source.sourceCurrency,
  }
  const to = {
    accountId: destination.destinationPaymentAccountId,
    method: destination.destinationPaymentMethod,
    currency: destination.destinationCurrency,
  }
  const problems: Problem[] = []
  const findEnd = (side: Side, end: typeof from, types: readonly AccountType[]): RouteEnd | undefined => {
    const path = getPath(side, 'PaymentAccountId')
    const account = findAccountRow(database, end.accountId)
    const message = account && checkAccount(account, customerId, types)
    if (!account) problems.push(describeMissing(path, end.accountId))
    else if (message) problems.push({path, message})
    else problems.push(...checkEnd(getPath, side, end, account))
    // With the stored spelling of the id, because ids are compared without regard to case.
    return (
      account && {
        ...end,
        accountId: account.accountId,
        accountSeq: account.seq,
        accountType: account.paymentAccountType,
      }
    )
  }
  const ends = {source: findEnd('source', from, sourceTypes), destination: findEnd('destination', to, destinationTypes)}
  if (from.accountId.toLowerCase() === to.accountId.toLowerCase()) {
    problems.push({path: getPath('destination', 'PaymentAccountId'), message: 'must not be the source account'})
  } else if (isFiat(from.method) && isFiat(to.method)) {
    const message = 'must be a crypto network: a route from fiat to fiat is not offered'
    problems.push({path: getPath('destination', 'PaymentMethod'), message})
  }
  return ends.source && ends.destination && problems.length === 0
    ? {source: ends.source, destination: ends.destination}
    : {problems}
}
