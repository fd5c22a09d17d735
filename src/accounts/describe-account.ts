// Describes a payment account in one line, as people recognize it.
import stringWidth from 'string-width'
import {type LoosePaymentAccount, readCode} from '../contract/loose.ts'
import {fiatMethods} from '../contract/methods.ts'
import {cleanText} from '../cli/output/clean.ts'
import {truncateToWidth} from '../cli/output/live-line.ts'
import {toText} from '../cli/output/view.ts'
import {type AcceptedValues, getAcceptedRoutes, getAccountType} from './accepted-routes.ts'
import {lookUp} from '../validation/look-up.ts'

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
function describeLocation({externalBankAccount, externalCryptoWallet, svcCryptoWallet}: LoosePaymentAccount): string {
  const address = toText(externalCryptoWallet?.address?.address) || toText(svcCryptoWallet?.address?.address)
  return joinParts(
    ' ',
    toText(externalBankAccount?.bankName).trim(),
    toText(externalBankAccount?.bankAccountMask).trim(),
    shortenAddress(address.trim()),
  )
}

const getSingleValue = ({values, isOpen}: AcceptedValues) => (values.length === 1 && !isOpen ? (values[0] ?? '') : '')

// Such as: USD by ACH, or USDC on BASE. Values that are not certain are left out.
function describeRoute(account: LoosePaymentAccount): string {
  const {currencies, methods} = getAcceptedRoutes(account)
  const method = getSingleValue(methods)
  const by = (fiatMethods as readonly string[]).includes(method) ? `by ${method}` : `on ${method}`
  return joinParts(' ', getSingleValue(currencies), method && by)
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
