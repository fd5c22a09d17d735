// Writes figures as the books have them: with all decimals of the currency, and never fewer than the figure has.
import type {Big} from 'big.js'
import {findCurrencyDecimals} from '../values/currencies.ts'

const decimalsUnknown = 2

export const getBookDecimals = (currency: string): number => findCurrencyDecimals(currency) ?? decimalsUnknown

export function formatFigure(amount: Big, currency: string): string {
  const exact = amount.toFixed()
  const decimals = (exact.split('.')[1] ?? '').length
  return amount.toFixed(Math.max(decimals, getBookDecimals(currency)))
}

const toPercent = (character: string) =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

// Text for a place in which some characters are not allowed. These are written as in an address, so that the text can be read
// back.
export const encodeText = (text: string, notAllowed: RegExp): string =>
  text.toWellFormed().replace(notAllowed, toPercent)

const dayLength = 'YYYY-MM-DD'.length

// The day in UTC.
export const toDay = (iso: string) => iso.slice(0, dayLength)
