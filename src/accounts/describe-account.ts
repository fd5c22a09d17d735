// A payment account as people recognise it, and what fits it: the currencies that it holds and the methods it is reached by.
import stringWidth from 'string-width'
import {cryptoMethods, fiatMethods} from '../contract/methods.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'

// As the service sent it, so that any field may be missing or be of another kind.
export type Account = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Account => (typeof value === 'object' && value !== null ? (value as Account) : {})

const readText = (account: Account, ...path: readonly string[]): string =>
  toText(path.reduce<unknown>((value, field) => toFields(value)[field], account)).trim()

export const getAccountId = (account: Account) => readText(account, 'paymentAccountId')

const getAccountType = (account: Account) => readText(account, 'paymentAccountType')

// A pending account has no id yet, so that nothing can refer to it.
export const isPending = (account: Account) =>
  getAccountId(account) === '' || readText(account, 'paymentAccountStatus') === 'PENDING'

export const getFormLink = (account: Account) => readText(account, 'bankAccountFormLink')

// Its own wallet is what the service can draw on by itself.
export const isServiceWallet = (account: Account) => getAccountType(account) === 'SVC_CRYPTO_WALLET'

// An automatic fiat account takes deposits, and nothing is paid out to it (docs/assumptions.md, M18).
export const canReceive = (account: Account) => getAccountType(account) !== 'SVC_AUTO_FIAT_ACCOUNT'

// What an account takes. An empty list says that nothing is known, and anything may be typed; `isOpen` that more may fit.
export interface AcceptedValues {
  values: readonly string[]
  isOpen: boolean
}

export interface AcceptedRoutes {
  currencies: AcceptedValues
  methods: AcceptedValues
}

const acceptOnly = (value: string): AcceptedValues =>
  value === '' ? {values: [], isOpen: true} : {values: [value], isOpen: false}

// A service wallet does not say what it holds (docs/assumptions.md, M18).
const stablecoins: AcceptedValues = {values: ['USDC', 'USDT'], isOpen: true}
const anyFiat: AcceptedValues = {values: fiatMethods, isOpen: false}
const anyMethod: AcceptedValues = {values: [...fiatMethods, ...cryptoMethods], isOpen: false}

const acceptMethod = (text: string): AcceptedValues => (anyMethod.values.includes(text) ? acceptOnly(text) : anyMethod)

const acceptedByType: Readonly<Record<string, (account: Account) => AcceptedRoutes>> = {
  EXTERNAL_BANK_ACCOUNT: (account) => ({
    currencies: acceptOnly(readText(account, 'externalBankAccount', 'bankAccountCurrency', 'label')),
    methods: acceptMethod(readText(account, 'externalBankAccount', 'bankAccountPaymentMethod')),
  }),
  EXTERNAL_CRYPTO_WALLET: (account) => ({
    currencies: acceptOnly(readText(account, 'externalCryptoWallet', 'currency', 'label')),
    methods: acceptMethod(
      readText(account, 'externalCryptoWallet', 'address', 'chain') ||
        readText(account, 'externalCryptoWallet', 'currency', 'chain'),
    ),
  }),
  SVC_CRYPTO_WALLET: (account) => ({
    currencies: stablecoins,
    methods: acceptMethod(readText(account, 'svcCryptoWallet', 'address', 'chain')),
  }),
  SVC_AUTO_FIAT_ACCOUNT: (account) => ({
    currencies: acceptOnly(readText(account, 'svcAutoFiatAccount', 'currency', 'label')),
    methods: anyFiat,
  }),
}

const anything: AcceptedRoutes = {currencies: {values: [], isOpen: true}, methods: anyMethod}

// Of an account of a kind that nobody knows here, or that is not in the list, everything has to be said.
export const getAcceptedRoutes = (account: Account | undefined): AcceptedRoutes =>
  (account && acceptedByType[getAccountType(account)]?.(account)) ?? anything

const isAccepted = ({values, isOpen}: AcceptedValues, wanted: unknown) =>
  wanted === undefined || isOpen || values.includes(toText(wanted))

// Whether it can be used with the currency and the method that were said beforehand.
export function acceptsRoute(account: Account, currency: unknown, method: unknown): boolean {
  const {currencies, methods} = getAcceptedRoutes(account)
  return isAccepted(currencies, currency) && isAccepted(methods, method)
}

const typeLabels: Readonly<Record<string, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'Bank account',
  EXTERNAL_CRYPTO_WALLET: 'External wallet',
  SVC_CRYPTO_WALLET: 'Service wallet',
  SVC_AUTO_FIAT_ACCOUNT: 'Automatic fiat account',
}

const addressShown = {start: 6, end: 4}

// People compare the two ends of an address.
const shortenAddress = (address: string) =>
  address.length > addressShown.start + addressShown.end + 1
    ? `${address.slice(0, addressShown.start)}…${address.slice(-addressShown.end)}`
    : address

const joinParts = (separator: string, ...parts: readonly string[]) =>
  parts.filter((part) => part !== '').join(separator)

function describeLocation(account: Account): string {
  const address =
    readText(account, 'externalCryptoWallet', 'address', 'address') ||
    readText(account, 'svcCryptoWallet', 'address', 'address')
  return joinParts(
    ' ',
    readText(account, 'externalBankAccount', 'bankName'),
    readText(account, 'externalBankAccount', 'bankAccountMask'),
    shortenAddress(address),
  )
}

const getSingleValue = ({values, isOpen}: AcceptedValues) => (values.length === 1 && !isOpen ? (values[0] ?? '') : '')

// What it holds and how it is reached, as far as that is fixed: USD by ACH, USDC on BASE.
function describeRoute(account: Account): string {
  const {currencies, methods} = getAcceptedRoutes(account)
  const method = getSingleValue(methods)
  const by = (fiatMethods as readonly string[]).includes(method) ? `by ${method}` : `on ${method}`
  return joinParts(' ', getSingleValue(currencies), method && by)
}

const describeStatus = (account: Account) => {
  const status = readText(account, 'paymentAccountStatus')
  return status === 'ACTIVE' || status === 'PENDING' ? '' : status
}

const nicknameLengthMin = 9

function describeWithNickname(account: Account, nickname: string): string {
  const type = getAccountType(account)
  return joinParts(
    ' · ',
    joinParts(' ', typeLabels[type] ?? cleanText(type || 'Account'), nickname && `“${nickname}”`),
    cleanText(describeLocation(account)),
    cleanText(describeRoute(account)),
    cleanText(describeStatus(account)),
  )
}

// Bank account “Rent” · Example Bank ****6789 · USD by ACH. Where the room is short the nickname gives way first, since the
// rest tells accounts apart.
export function describeAccount(account: Account, width = Number.POSITIVE_INFINITY): string {
  const nickname = cleanText(readText(account, 'nickname'))
  const words = describeWithNickname(account, nickname)
  const excess = stringWidth(words) - width
  if (excess <= 0) return words
  const room = stringWidth(nickname) - excess + 1
  return truncateToWidth(
    describeWithNickname(account, room < nicknameLengthMin ? '' : truncateToWidth(nickname, room)),
    width + 1,
  )
}
