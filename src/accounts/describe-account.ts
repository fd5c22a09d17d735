// Describes a payment account in one line, as people recognize it.
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'
import {type LoosePaymentAccount, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {accountTypeLabels, cryptoMethods, fiatMethods} from '../contract/vocabulary.ts'
import {describeLocation} from '../values/account-location.ts'
import {lookUp} from '../values/records.ts'
import {svc} from '../values/text.ts'
import {describeMethod} from '../values/transfer-instructions.ts'

// Who a bank account belongs to, if it says so.
export const getOwnerName = ({externalBankAccount}: LoosePaymentAccount) =>
  toText(externalBankAccount?.bankAccountOwnerName).trim()

const joinParts = (separator: string, ...parts: readonly string[]) =>
  parts.filter((part) => part !== '').join(separator)

// The only value that is accepted, or nothing.
export const getSingleValue = ({values, isOpen}: AcceptedValues) =>
  values.length === 1 && !isOpen ? (values[0] ?? '') : ''

// Such as: USD by ACH, or USDC on BASE.
const formatRoute = (currency: string, method: string) => joinParts(' ', currency, describeMethod(method))

// Values that are not certain are left out.
export function describeRoute(account: LoosePaymentAccount): string {
  const {currencies, methods} = getAcceptedRoutes(account)
  return formatRoute(getSingleValue(currencies), getSingleValue(methods))
}

const describeStatus = ({paymentAccountStatus}: LoosePaymentAccount) => {
  const status = toText(paymentAccountStatus).trim()
  return ['ACTIVE', 'PENDING'].includes(readCode(status)) ? '' : status
}

// Such as: Zoë Ångström · Example Bank ****6789 · USD by ACH · “Rent”. If it is too wide, the nickname is cut first, because the rest
// tells accounts apart.
export function describeAccount(account: LoosePaymentAccount, width = Number.POSITIVE_INFINITY): string {
  const nickname = toText(account.nickname).trim()
  const type =
    lookUp(accountTypeLabels, getAccountType(account)) ?? (toText(account.paymentAccountType).trim() || 'Account')
  const description = joinParts(
    ' · ',
    getOwnerName(account) || type,
    describeLocation(account),
    describeRoute(account),
    describeStatus(account),
    nickname && `“${nickname}”`,
  )
  return truncateToWidth(cleanText(description), width + 1)
}

export interface RouteEnd {
  currency: unknown
  method: unknown
}

// One end of a payment, without the owner and the id: Example Bank ****6789, USD by ACH. An account that could not be read
// is described by its route alone.
export function describeRouteEnd(account: LoosePaymentAccount | undefined, {currency, method}: RouteEnd): string {
  const route = formatRoute(toText(getCurrencyLabel(currency)).trim(), toText(method).trim())
  if (!account) return route
  const type = lookUp(accountTypeLabels, getAccountType(account)) ?? toText(account.paymentAccountType).trim()
  const isBank = toText(account.externalBankAccount?.bankName).trim() !== ''
  const place = joinParts(' ', isBank ? '' : type, describeLocation(account))
  return cleanText(joinParts(', ', place, route, describeStatus(account)))
}

// Whose account it is, unless it is the customer's own, and what they call it: Zoë Ångström, “Rent”
export function describeAccountOwner(account: LoosePaymentAccount, customerName: string): string {
  const named = getOwnerName(account)
  const owner = named === customerName.trim() ? '' : named
  const nickname = toText(account.nickname).trim()
  return cleanText(joinParts(', ', owner, nickname && `“${nickname}”`))
}

const toTrimmedText = (value: unknown) => toText(value).trim()

export const getAccountId = (account: LoosePaymentAccount) => toTrimmedText(account.paymentAccountId)

const getAccountType = (account: LoosePaymentAccount) => readCode(account.paymentAccountType)

// A pending account has no id yet, so nothing can refer to it.
export const isPending = (account: LoosePaymentAccount) =>
  getAccountId(account) === '' || readCode(account.paymentAccountStatus) === 'PENDING'

// A pending bank account has a hosted form, in which its owner fills it in.
export const hasForm = ({bankAccountFormLink: link}: LoosePaymentAccount) => typeof link === 'string' && link !== ''

// The service can pay by itself only from its own wallets.
export const isServiceWallet = (account: LoosePaymentAccount) => getAccountType(account) === 'SVC_CRYPTO_WALLET'

// An automatic fiat account takes deposits; nothing can be paid out to it (docs/assumptions.md, M18).
export const canReceive = (account: LoosePaymentAccount) => getAccountType(account) !== 'SVC_AUTO_FIAT_ACCOUNT'

export interface AcceptedValues {
  // Empty if nothing is known.
  values: readonly string[]
  // Whether other values may be accepted, too.
  isOpen: boolean
}

interface AcceptedRoutes {
  currencies: AcceptedValues
  methods: AcceptedValues
}

// A service wallet does not say what it holds (docs/assumptions.md, M18).
const stablecoins: AcceptedValues = {values: ['USDC', 'USDT'], isOpen: true}
const anyFiat: AcceptedValues = {values: fiatMethods, isOpen: false}
const anyCrypto: AcceptedValues = {values: cryptoMethods, isOpen: false}
const anyMethod: AcceptedValues = {values: [...fiatMethods, ...cryptoMethods], isOpen: false}
const anyRoute: AcceptedRoutes = {currencies: {values: [], isOpen: true}, methods: anyMethod}

function acceptOnly(value: unknown): AcceptedValues {
  const text = toTrimmedText(value)
  return text === '' ? {values: [], isOpen: true} : {values: [text], isOpen: false}
}

// All of the kind, if the account names none of the methods that can be sent.
const acceptMethod = (method: unknown, ofKind: AcceptedValues): AcceptedValues =>
  anyMethod.values.includes(readCode(method)) ? acceptOnly(readCode(method)) : ofKind

const acceptedByType: Readonly<Record<string, (account: LoosePaymentAccount) => AcceptedRoutes>> = {
  EXTERNAL_BANK_ACCOUNT: ({externalBankAccount: bank}) => ({
    currencies: acceptOnly(getCurrencyLabel(bank?.bankAccountCurrency)),
    methods: acceptMethod(bank?.bankAccountPaymentMethod, anyFiat),
  }),
  EXTERNAL_CRYPTO_WALLET: ({externalCryptoWallet: wallet}) => {
    const currency = wallet?.currency
    const currencyChain = typeof currency === 'object' ? currency?.chain : undefined
    return {
      currencies: acceptOnly(getCurrencyLabel(currency)),
      methods: acceptMethod(toTrimmedText(wallet?.address?.chain) || currencyChain, anyCrypto),
    }
  },
  SVC_CRYPTO_WALLET: ({svcCryptoWallet: wallet}) => ({
    currencies: stablecoins,
    methods: acceptMethod(wallet?.address?.chain, anyCrypto),
  }),
  SVC_AUTO_FIAT_ACCOUNT: ({svcAutoFiatAccount: account}) => ({
    currencies: acceptOnly(getCurrencyLabel(account?.currency)),
    methods: anyFiat,
  }),
}

// Nothing is known about an account of an unknown type, or one that is not in the list.
export const getAcceptedRoutes = (account: LoosePaymentAccount | undefined): AcceptedRoutes =>
  (account && lookUp(acceptedByType, getAccountType(account))?.(account)) ?? anyRoute

const isAccepted = ({values, isOpen}: AcceptedValues, wanted: unknown) =>
  wanted === undefined || isOpen || values.some((value) => readCode(value) === readCode(toText(wanted)))

// Undefined means that any currency or method will do.
export function acceptsRoute(account: LoosePaymentAccount, currency: unknown, method: unknown): boolean {
  const {currencies, methods} = getAcceptedRoutes(account)
  return isAccepted(currencies, currency) && isAccepted(methods, method)
}

// Says how a customer without a payment account comes to one. The interface shows no request that creates it.
export function describeAccountOrigin(customerId: string, customerStatus: unknown): string {
  const isActive = ['', 'ACTIVE'].includes(readCode(customerStatus))
  return isActive
    ? `Accounts come about at the service: a bank account by a hosted form, which ${svc`open ${customerId} --bank-account`} opens while it is pending (\`svc docs pay-somebody-new\`)`
    : `Only an ACTIVE customer can pay: ${svc`customers get ${customerId}`} shows more`
}
