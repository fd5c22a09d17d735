// Describes a payment account in one line, as people recognize it.
import stringWidth from 'string-width'
import {type LooseCurrency, type LoosePaymentAccount, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {fiatMethods} from '../contract/payment-methods.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'
import {type AcceptedValues, getAcceptedRoutes, getAccountType} from './accepted-routes.ts'
import {lookUp} from '../values/records.ts'

const typeLabels: Readonly<Record<string, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'Bank account',
  EXTERNAL_CRYPTO_WALLET: 'External wallet',
  SVC_CRYPTO_WALLET: 'Service wallet',
  SVC_AUTO_FIAT_ACCOUNT: 'Automatic fiat account',
}

const addressShown = {start: 6, end: 4}

// People compare the first and last characters of an address.
const shortenAddress = (address: string) =>
  address.length > addressShown.start + addressShown.end + 1
    ? `${address.slice(0, addressShown.start)}…${address.slice(-addressShown.end)}`
    : address

const joinParts = (separator: string, ...parts: readonly string[]) =>
  parts.filter((part) => part !== '').join(separator)

// Such as: Example Bank ****6789
export function describeLocation({
  externalBankAccount,
  externalCryptoWallet,
  svcCryptoWallet,
}: LoosePaymentAccount): string {
  const address = toText(externalCryptoWallet?.address?.address) || toText(svcCryptoWallet?.address?.address)
  return joinParts(
    ' ',
    toText(externalBankAccount?.bankName).trim(),
    toText(externalBankAccount?.bankAccountMask).trim(),
    shortenAddress(address.trim()),
  )
}

const getSingleValue = ({values, isOpen}: AcceptedValues) => (values.length === 1 && !isOpen ? (values[0] ?? '') : '')

// What people call a payment method, where its code is not that.
const methodLabels: Readonly<Record<string, string>> = {
  CA_INTERAC: 'Interac',
  IN_NEFT_RTGS_IMPS: 'NEFT/RTGS/IMPS',
}

// Such as: USD by ACH, or USDC on BASE.
function formatRoute(currency: string, method: string): string {
  const label = lookUp(methodLabels, method) ?? method
  const by = (fiatMethods as readonly string[]).includes(method) ? `by ${label}` : `on ${label}`
  return joinParts(' ', currency, method && by)
}

// Values that are not certain are left out.
function describeRoute(account: LoosePaymentAccount): string {
  const {currencies, methods} = getAcceptedRoutes(account)
  return formatRoute(getSingleValue(currencies), getSingleValue(methods))
}

const describeStatus = ({paymentAccountStatus}: LoosePaymentAccount) => {
  const status = toText(paymentAccountStatus).trim()
  return ['ACTIVE', 'PENDING'].includes(readCode(status)) ? '' : status
}

const nicknameLengthMin = 9

function describeWithNickname(account: LoosePaymentAccount, nickname: string): string {
  const type = getAccountType(account)
  return joinParts(
    ' · ',
    joinParts(
      ' ',
      lookUp(typeLabels, type) ?? cleanText(toText(account.paymentAccountType).trim() || 'Account'),
      nickname && `“${nickname}”`,
    ),
    cleanText(describeLocation(account)),
    cleanText(describeRoute(account)),
    cleanText(describeStatus(account)),
  )
}

// Such as: Bank account “Rent” · Example Bank ****6789 · USD by ACH. If it is too wide, the nickname is shortened first,
// because the rest tells accounts apart.
export function describeAccount(account: LoosePaymentAccount, width = Number.POSITIVE_INFINITY): string {
  const nickname = cleanText(toText(account.nickname).trim())
  const description = describeWithNickname(account, nickname)
  const excess = stringWidth(description) - width
  if (excess <= 0) return description
  const nicknameWidth = stringWidth(nickname) - excess + 1
  const shortNickname = nicknameWidth < nicknameLengthMin ? '' : truncateToWidth(nickname, nicknameWidth)
  return truncateToWidth(describeWithNickname(account, shortNickname), width + 1)
}

export interface RouteEnd {
  currency: unknown
  method: unknown
}

// One end of a payment, without the owner and the id: Example Bank ****6789, USD by ACH. An account that could not be read
// is described by its route alone.
export function describeRouteEnd(account: LoosePaymentAccount | undefined, {currency, method}: RouteEnd): string {
  const route = formatRoute(toText(getCurrencyLabel(currency as LooseCurrency)).trim(), toText(method).trim())
  if (!account) return route
  const type = lookUp(typeLabels, getAccountType(account)) ?? toText(account.paymentAccountType).trim()
  const isBank = toText(account.externalBankAccount?.bankName).trim() !== ''
  const place = joinParts(' ', isBank ? '' : type, describeLocation(account))
  return cleanText(joinParts(', ', place, route, describeStatus(account)))
}

// Whose account it is, unless it is the customer's own, and what they call it: Zoë Ångström, “Rent”
export function describeAccountOwner(account: LoosePaymentAccount, customerName: string): string {
  const named = toText(account.externalBankAccount?.bankAccountOwnerName).trim()
  const owner = named === customerName.trim() ? '' : named
  const nickname = toText(account.nickname).trim()
  return cleanText(joinParts(', ', owner, nickname && `“${nickname}”`))
}
