// Invents addresses, hashes and references in the format of each network or rail.
import {isFiat, type PaymentMethod} from './currencies.ts'
import {deriveDigest} from '../../store/ids.ts'

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const solanaAddressLength = 43
const solanaHashLength = 88
const evmAddressDigits = 40
const railReferenceDigits = 15
const railReferenceUnit = 10n ** BigInt(railReferenceDigits)

const zeroCode = 48
const letterACode = 97

// A hexadecimal digit, without the text that Number.parseInt() would need.
function parseDigit(digest: string, at: number): number {
  const code = digest.charCodeAt(at)
  return code < letterACode ? code - zeroCode : code - letterACode + 10
}

const base58Codes = Uint8Array.from({length: 256}, (_, value) => base58.charCodeAt(value % base58.length))
const textBytes = Buffer.alloc(solanaHashLength)

// Each pair of neighbouring digits gives one character. The result is not a real base 58 number but looks like one.
function toBase58Text(digest: string, length: number): string {
  let digit = parseDigit(digest, 0)
  for (let at = 0; at < length; at++) {
    const next = parseDigit(digest, at + 1)
    textBytes[at] = base58Codes[digit * 16 + next] as number
    digit = next
  }
  return textBytes.toString('latin1', 0, length)
}

export const createChainAddress = (chain: string, digest: string): string =>
  chain === 'SOLANA' ? toBase58Text(digest, solanaAddressLength) : `0x${digest.slice(0, evmAddressDigits)}`

// The last decimal digits of a digest, without writing all of them.
const takeLastDigits = (digest: string) =>
  String(BigInt(`0x${digest}`) % railReferenceUnit).padStart(railReferenceDigits, '0')

// A hash on a chain, a trace number on a rail.
export function createTransferReference(
  method: PaymentMethod,
  transactionId: string,
  side: 'source' | 'destination',
): string {
  const digest = deriveDigest('reference', side, transactionId)
  if (isFiat(method)) return `${method}-${takeLastDigits(digest)}`
  return method === 'SOLANA' ? toBase58Text(digest + deriveDigest('more', digest), solanaHashLength) : `0x${digest}`
}
