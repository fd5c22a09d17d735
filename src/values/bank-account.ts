// Validates bank account identifiers that have a checksum.
import {isValidIBAN} from 'ibantools'

// Spaces and small letters are common in print; dashes are not part of an IBAN.
export const isIban = (text: string): boolean => isValidIBAN(text.replaceAll(' ', '').toUpperCase())

const routingWeights = [3, 7, 1]

// An ABA routing number: nine digits whose sum, weighted 3, 7, 1 in turn, is divisible by ten.
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false
  const sum = text
    .split('')
    .reduce((total, digit, index) => total + Number(digit) * (routingWeights[index % 3] ?? 0), 0)
  return sum % 10 === 0
}
