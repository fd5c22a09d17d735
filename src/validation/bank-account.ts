// Validates bank account identifiers that have a checksum.
import {electronicFormatIBAN, isValidIBAN} from 'ibantools'

export const isIban = (text: string): boolean => isValidIBAN(electronicFormatIBAN(text) ?? '')

const routingWeights = [3, 7, 1]

// An ABA routing number: nine digits whose sum, weighted 3, 7, 1 in turn, is divisible by ten.
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false
  const sum = text
    .split('')
    .reduce((total, digit, index) => total + Number(digit) * (routingWeights[index % 3] ?? 0), 0)
  return sum % 10 === 0
}
