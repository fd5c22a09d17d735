// Where an account is, as people recognize it.
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {readText} from './records.ts'

const addressShown = {start: 6, end: 4}

// People compare the first and last characters of an address.
const shortenAddress = (address: string) =>
  address.length > addressShown.start + addressShown.end + 1
    ? `${address.slice(0, addressShown.start)}…${address.slice(-addressShown.end)}`
    : address

// Such as: Example Bank ****6789
export function describeLocation({
  externalBankAccount: bank,
  externalCryptoWallet,
  svcCryptoWallet,
}: LoosePaymentAccount): string {
  const address = readText(externalCryptoWallet?.address?.address) || readText(svcCryptoWallet?.address?.address)
  return [readText(bank?.bankName), readText(bank?.bankAccountMask), shortenAddress(address.trim())]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ')
}
