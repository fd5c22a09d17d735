// Which routes make sense: an account, a method and a currency that fit each other at both ends, and a way between them.
import type {Problem} from '../../contract/problems.ts'
import type {Database} from '../store/database.ts'
import {ServiceError} from '../http/refusal.ts'
import {accountRow, type AccountRow, type AccountType} from './account-store.ts'
import {currenciesOf, isFiat, type PaymentMethod, railsOf} from './currencies.ts'

type Side = 'source' | 'destination'

interface Asked {
  accountId: string
  method: string
  currency: string
}

const articles: Readonly<Record<AccountType, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'an external bank account',
  SVC_AUTO_FIAT_ACCOUNT: 'an automatic fiat account',
  EXTERNAL_CRYPTO_WALLET: 'an external wallet',
  SVC_CRYPTO_WALLET: 'a service-managed wallet',
}

// The field of one end as the interface spells it: source.sourcePaymentMethod and so on.
const pathOf = (side: Side, field: 'PaymentAccountId' | 'PaymentMethod' | 'Currency') => `${side}.${side}${field}`

// An account takes its own rail or chain; an automatic fiat account takes every rail of its currency.
const methodsOf = ({method, currency}: AccountRow): string[] => (method === null ? railsOf(currency ?? '') : [method])

function currenciesHeldBy({currency}: AccountRow, method: string): string[] {
  return currency === null ? currenciesOf(method as PaymentMethod) : [currency]
}

const listed = (values: readonly string[]) => values.join(' or ')

function accountProblem(side: Side, account: AccountRow, customerId: string): string | undefined {
  if (account.customerId.toLowerCase() !== customerId.toLowerCase()) return 'belongs to another customer'
  if (account.paymentAccountStatus !== 'ACTIVE') return `is ${account.paymentAccountStatus}: it must be ACTIVE`
  if (side === 'destination' && account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT') {
    return 'is an automatic fiat account, which takes deposits: it can only be a source'
  }
  return undefined
}

// What is wrong with one end of a route; an account that does not exist is refused as not found.
export function endProblems(database: Database, side: Side, asked: Asked, customerId: string): Problem[] {
  const path = pathOf(side, 'PaymentAccountId')
  const account = accountRow(database, asked.accountId)
  if (!account) throw new ServiceError('NOT_FOUND', `${path}: there is no payment account ${asked.accountId}`)
  const message = accountProblem(side, account, customerId)
  if (message) return [{path, message}]
  const methods = methodsOf(account)
  const problems: Problem[] = []
  if (!methods.includes(asked.method)) {
    const what = articles[account.paymentAccountType]
    problems.push({path: pathOf(side, 'PaymentMethod'), message: `must be ${listed(methods)}: the account is ${what}`})
  }
  const currencies = currenciesHeldBy(account, methods[0] ?? '')
  if (!currencies.includes(asked.currency)) {
    problems.push({path: pathOf(side, 'Currency'), message: `must be ${listed(currencies)} for this account`})
  }
  return problems
}

// Money goes from fiat to crypto, back, or from crypto to crypto; never from an account to itself.
export function routeProblems(source: Asked, destination: Asked): Problem[] {
  if (source.accountId.toLowerCase() === destination.accountId.toLowerCase()) {
    return [{path: pathOf('destination', 'PaymentAccountId'), message: 'must not be the source account'}]
  }
  if (isFiat(source.method) && isFiat(destination.method)) {
    return [
      {
        path: pathOf('destination', 'PaymentMethod'),
        message: 'must be a crypto network: a route from fiat to fiat is not offered',
      },
    ]
  }
  return []
}
