// A payment account as people recognise it, and what fits it: the currencies that it holds and the methods it is reached by.
import stringWidth from 'string-width'
import {cryptoMethods, fiatMethods} from '../contract/methods.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'

// As the service sent it, so that any field may be missing or be of another kind.
export type Account = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Account => (typeof value === 'object' && value !== null ? (value as Account) : {})

const textAt = (account: Account, ...path: readonly string[]): string =>
  toText(path.reduce<unknown>((value, field) => fieldsOf(value)[field], account)).trim()

export const idOf = (account: Account) => textAt(account, 'paymentAccountId')

const typeOf = (account: Account) => textAt(account, 'paymentAccountType')

// A pending account has no id yet, so that nothing can refer to it.
export const isPending = (account: Account) =>
  idOf(account) === '' || textAt(account, 'paymentAccountStatus') === 'PENDING'

export const formLinkOf = (account: Account) => textAt(account, 'bankAccountFormLink')

// Its own wallet is what the service can draw on by itself.
export const isServiceWallet = (account: Account) => typeOf(account) === 'SVC_CRYPTO_WALLET'

// An automatic fiat account takes deposits, and nothing is paid out to it (docs/assumptions.md, M18).
export const canReceive = (account: Account) => typeOf(account) !== 'SVC_AUTO_FIAT_ACCOUNT'

// What an account takes. An empty list says that nothing is known, and anything may be typed; `isOpen` that more may fit.
export interface Fit {
  values: readonly string[]
  isOpen: boolean
}

export interface Fitting {
  currencies: Fit
  methods: Fit
}

const only = (value: string): Fit => (value === '' ? {values: [], isOpen: true} : {values: [value], isOpen: false})

// A service wallet does not say what it holds (docs/assumptions.md, M18).
const stablecoins: Fit = {values: ['USDC', 'USDT'], isOpen: true}
const anyFiat: Fit = {values: fiatMethods, isOpen: false}
const anyMethod: Fit = {values: [...fiatMethods, ...cryptoMethods], isOpen: false}

const methodOf = (text: string): Fit => (anyMethod.values.includes(text) ? only(text) : anyMethod)

const fittings: Readonly<Record<string, (account: Account) => Fitting>> = {
  EXTERNAL_BANK_ACCOUNT: (account) => ({
    currencies: only(textAt(account, 'externalBankAccount', 'bankAccountCurrency', 'label')),
    methods: methodOf(textAt(account, 'externalBankAccount', 'bankAccountPaymentMethod')),
  }),
  EXTERNAL_CRYPTO_WALLET: (account) => ({
    currencies: only(textAt(account, 'externalCryptoWallet', 'currency', 'label')),
    methods: methodOf(
      textAt(account, 'externalCryptoWallet', 'address', 'chain') ||
        textAt(account, 'externalCryptoWallet', 'currency', 'chain'),
    ),
  }),
  SVC_CRYPTO_WALLET: (account) => ({
    currencies: stablecoins,
    methods: methodOf(textAt(account, 'svcCryptoWallet', 'address', 'chain')),
  }),
  SVC_AUTO_FIAT_ACCOUNT: (account) => ({
    currencies: only(textAt(account, 'svcAutoFiatAccount', 'currency', 'label')),
    methods: anyFiat,
  }),
}

const anything: Fitting = {currencies: {values: [], isOpen: true}, methods: anyMethod}

// Of an account of a kind that nobody knows here, or that is not in the list, everything has to be said.
export const fittingOf = (account: Account | undefined): Fitting =>
  (account && fittings[typeOf(account)]?.(account)) ?? anything

const isTaken = ({values, isOpen}: Fit, wanted: unknown) =>
  wanted === undefined || isOpen || values.includes(toText(wanted))

// Whether it can be used with the currency and the method that were said beforehand.
export function fits(account: Account, currency: unknown, method: unknown): boolean {
  const {currencies, methods} = fittingOf(account)
  return isTaken(currencies, currency) && isTaken(methods, method)
}

const typeWords: Readonly<Record<string, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'Bank account',
  EXTERNAL_CRYPTO_WALLET: 'External wallet',
  SVC_CRYPTO_WALLET: 'Service wallet',
  SVC_AUTO_FIAT_ACCOUNT: 'Automatic fiat account',
}

const addressShown = {start: 6, end: 4}

// People compare the two ends of an address.
const shortened = (address: string) =>
  address.length > addressShown.start + addressShown.end + 1
    ? `${address.slice(0, addressShown.start)}…${address.slice(-addressShown.end)}`
    : address

const joined = (separator: string, ...parts: readonly string[]) => parts.filter((part) => part !== '').join(separator)

function placeWords(account: Account): string {
  const address =
    textAt(account, 'externalCryptoWallet', 'address', 'address') ||
    textAt(account, 'svcCryptoWallet', 'address', 'address')
  return joined(
    ' ',
    textAt(account, 'externalBankAccount', 'bankName'),
    textAt(account, 'externalBankAccount', 'bankAccountMask'),
    shortened(address),
  )
}

const certain = ({values, isOpen}: Fit) => (values.length === 1 && !isOpen ? (values[0] ?? '') : '')

// What it holds and how it is reached, as far as that is fixed: USD by ACH, USDC on BASE.
function wayWords(account: Account): string {
  const {currencies, methods} = fittingOf(account)
  const method = certain(methods)
  const by = (fiatMethods as readonly string[]).includes(method) ? `by ${method}` : `on ${method}`
  return joined(' ', certain(currencies), method && by)
}

const statusWords = (account: Account) => {
  const status = textAt(account, 'paymentAccountStatus')
  return status === 'ACTIVE' || status === 'PENDING' ? '' : status
}

const nicknameLengthMin = 9

function wordsWith(account: Account, nickname: string): string {
  const type = typeOf(account)
  return joined(
    ' · ',
    joined(' ', typeWords[type] ?? cleanText(type || 'Account'), nickname && `“${nickname}”`),
    cleanText(placeWords(account)),
    cleanText(wayWords(account)),
    cleanText(statusWords(account)),
  )
}

// Bank account “Rent” · Example Bank ****6789 · USD by ACH. Where the room is short the nickname gives way first, since the
// rest tells accounts apart.
export function accountWords(account: Account, width = Number.POSITIVE_INFINITY): string {
  const nickname = cleanText(textAt(account, 'nickname'))
  const words = wordsWith(account, nickname)
  const excess = stringWidth(words) - width
  if (excess <= 0) return words
  const room = stringWidth(nickname) - excess + 1
  return truncateToWidth(wordsWith(account, room < nicknameLengthMin ? '' : truncateToWidth(nickname, room)), width + 1)
}
