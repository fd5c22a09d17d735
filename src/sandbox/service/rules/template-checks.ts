// Checks that a rule can move money between its source and its destination.
import type {Problem} from '../../../contract/problems.ts'
import {type AccountType, findAccountRow} from '../money/account-store.ts'
import {listCurrencies, getDecimals, type PaymentMethod} from '../money/currencies.ts'
import type {Database} from '../../store/database.ts'
import type {Template} from './rule-store.ts'

const sourceTypes: readonly AccountType[] = ['SVC_CRYPTO_WALLET']
const destinationTypes: readonly AccountType[] = [
  'EXTERNAL_BANK_ACCOUNT',
  'SVC_CRYPTO_WALLET',
  'EXTERNAL_CRYPTO_WALLET',
]

interface TemplateEnd {
  path: 'source' | 'destination'
  accountId: string
  method: PaymentMethod
  currency: string
}

function checkEnd(
  database: Database,
  customerId: string,
  end: TemplateEnd,
  allowed: readonly AccountType[],
): Problem[] {
  const createProblem = (field: string, message: string) => [
    {path: `transactionTemplate.${end.path}.${end.path}${field}`, message},
  ]
  const account = findAccountRow(database, end.accountId)
  if (!account || account.customerId.toLowerCase() !== customerId.toLowerCase()) {
    return createProblem('PaymentAccountId', 'is not a payment account of the customer')
  }
  if (!allowed.includes(account.paymentAccountType)) {
    return createProblem(
      'PaymentAccountId',
      `is of type ${account.paymentAccountType}: it must be ${allowed.join(' or ')}`,
    )
  }
  if (account.method !== null && account.method !== end.method) {
    return createProblem('PaymentMethod', `does not fit the account, which is on ${account.method}`)
  }
  const currencies = account.currency === null ? listCurrencies(end.method) : [account.currency]
  return currencies.includes(end.currency)
    ? []
    : createProblem('Currency', `does not fit the account: it must be ${currencies.join(' or ')}`)
}

// An amount with more decimals than its currency could never be paid.
function checkAmount({amount, source}: Template, isCurrencyKnown: boolean): Problem[] {
  const path = 'transactionTemplate.amount.value'
  if (amount.type === 'PCT') return []
  if (!/[1-9]/.test(amount.value)) return [{path, message: 'must be more than 0'}]
  if (!isCurrencyKnown) return []
  const decimals = amount.value.split('.')[1]?.replace(/0+$/, '').length ?? 0
  const decimalsMax = getDecimals(source.sourceCurrency)
  return decimals > decimalsMax ? [{path, message: `must have at most ${decimalsMax} decimals`}] : []
}

export function checkTemplate(database: Database, customerId: string, template: Template): Problem[] {
  const {source, destination} = template
  const from: TemplateEnd = {
    path: 'source',
    accountId: source.sourcePaymentAccountId,
    method: source.sourcePaymentMethod,
    currency: source.sourceCurrency,
  }
  const to: TemplateEnd = {
    path: 'destination',
    accountId: destination.destinationPaymentAccountId,
    method: destination.destinationPaymentMethod,
    currency: destination.destinationCurrency,
  }
  const inSource = checkEnd(database, customerId, from, sourceTypes)
  const isSame = from.accountId.toLowerCase() === to.accountId.toLowerCase()
  return [
    ...inSource,
    ...(isSame
      ? [{path: 'transactionTemplate.destination.destinationPaymentAccountId', message: 'is the source itself'}]
      : checkEnd(database, customerId, to, destinationTypes)),
    ...checkAmount(template, inSource.length === 0),
  ]
}
