// The texts of an ISO 20022 message: XML that is escaped, ids that fit their fields, and the figures that a message can have.
import {hash} from 'node:crypto'
import type {Big} from 'big.js'
import {code as isoCurrency} from 'currency-codes'
import {cleanText} from '../cli/output/clean.ts'
import {formatFigure} from './format-figures.ts'

const entities: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}

// XML has no way to write control characters and noncharacters.
const toXmlText = (text: string) =>
  cleanText(text.toWellFormed())
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')

// Cut between characters, not within one.
const cut = (text: string, max: number) =>
  text.length <= max
    ? text
    : text
        .slice(0, max)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')

// Text up to a length, never empty.
export const toField = (text: string, max: number) => toXmlText(cut(cleanText(text).trim() || '-', max))

const idCharsMax = 34
const digestLength = 12

// A UUID is two characters too long for the field, so it is written without its dashes. What is still too long ends with a
// digest, so that two ids stay different.
export function toShortId(id: string): string {
  const plain = id.replaceAll('-', '')
  const fits = plain.length <= idCharsMax && /^[A-Za-z0-9_.:/]+$/.test(plain)
  if (fits) return plain
  const kept = plain.replace(/[^A-Za-z0-9]/g, '').slice(0, idCharsMax - digestLength)
  return `${kept}${hash('sha256', id).slice(0, digestLength)}`
}

const fractionDigitsMax = 5
const digitsMax = 18

// Whether an amount can be written: the currency is one of ISO 4217, and there are not too many digits.
export function isStatable(amount: Big, currency: string): boolean {
  const [whole = '', fraction = ''] = amount.abs().toFixed().split('.')
  return (
    /^[A-Z]{3}$/.test(currency) &&
    isoCurrency(currency) !== undefined &&
    fraction.length <= fractionDigitsMax &&
    whole.length + Math.max(fraction.length, 2) <= digitsMax
  )
}

export const toAmount = (name: string, amount: Big, currency: string) =>
  `<${name} Ccy="${currency}">${formatFigure(amount, currency)}</${name}>`

const rateFractionMax = 10
const rateDigitsMax = 11

export function isStatableRate(rate: Big): boolean {
  const [whole = '', fraction = ''] = rate.toFixed().split('.')
  return fraction.length <= rateFractionMax && whole.replace(/^0$/, '').length + fraction.length <= rateDigitsMax
}
