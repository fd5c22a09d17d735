// Prices: a fixed table of what each currency is worth, moving a little from minute to minute of the virtual clock.
import {deriveDigest} from '../store/ids.ts'
import {decimalsOf} from './currencies.ts'
import {Decimal, roundDown, roundHalfUp, roundUp} from './decimal.ts'

interface Price {
  // What one unit is worth in US dollars.
  usd: string
  // How far the price strays from the table at most, to either side.
  swing: string
}

const prices: Readonly<Record<string, Price>> = {
  USD: {usd: '1', swing: '0'},
  EUR: {usd: '1.0845', swing: '0.004'},
  CAD: {usd: '0.7312', swing: '0.004'},
  INR: {usd: '0.01187', swing: '0.004'},
  USDC: {usd: '0.9999', swing: '0.0001'},
  USDT: {usd: '0.9997', swing: '0.0003'},
}

// A rate has this many significant digits, so that one rupee has as good a price as one euro.
const rateDigits = 10
const minuteMs = 60_000
const usdDecimals = 2

const strayHexDigits = 8
const strayMiddle = new Decimal('2').pow(31)

// Between -1 and 1, the same for everybody in the same minute.
function strayAt(label: string, instant: number): Decimal {
  const digest = deriveDigest('price', label, Math.floor(instant / minuteMs))
  const drawn = new Decimal(String(Number.parseInt(digest.slice(0, strayHexDigits), 16)))
  return drawn.minus(strayMiddle).div(strayMiddle)
}

// A price holds for its minute, and a division of so many digits costs more than the rest of a quote: what was worked out
// for the minute asked for last is kept, since rules that fire together ask for the same.
const kept = {minute: -1, values: new Map<string, Decimal>()}

const keptMax = 1_000

function keptFor(instant: number, name: string, workOut: () => Decimal): Decimal {
  const minute = Math.floor(instant / minuteMs)
  if (kept.minute !== minute || kept.values.size >= keptMax) Object.assign(kept, {minute, values: new Map()})
  const known = kept.values.get(name) ?? workOut()
  kept.values.set(name, known)
  return known
}

function usdPrice(label: string, instant: number): Decimal {
  const price = prices[label]
  if (!price) throw new Error(`There is no price of ${label}`)
  return keptFor(instant, label, () =>
    new Decimal(price.usd).times(strayAt(label, instant).times(new Decimal(price.swing)).plus(new Decimal('1'))),
  )
}

// The multiplier from one currency to the other. A currency is worth itself, on whatever network.
export function rateBetween(source: string, destination: string, instant: number): Decimal {
  if (source === destination) return new Decimal('1')
  return keptFor(instant, `${source} ${destination}`, () =>
    usdPrice(source, instant).div(usdPrice(destination, instant)).prec(rateDigits, roundDown),
  )
}

export const rateText = (rate: Decimal) => rate.toFixed()

export const usdText = (amount: Decimal, label: string, instant: number): string =>
  amount.times(usdPrice(label, instant)).toFixed(usdDecimals, roundHalfUp)

// What so many US dollars are in another currency.
export const fromUsd = (usd: Decimal, label: string, instant: number): Decimal =>
  keptFor(instant, `${usd.toFixed()} USD in ${label}`, () =>
    usd.div(usdPrice(label, instant)).round(decimalsOf(label), roundUp),
  )
