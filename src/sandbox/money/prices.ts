// Prices: a fixed table of values in US dollars that vary slightly with each minute of the virtual clock.
import {deriveDigest} from '../store/ids.ts'
import {getDecimals} from './currencies.ts'
import {Decimal, roundDown, roundHalfUp, roundUp} from './decimal.ts'
import {lookUp} from '../../validation/look-up.ts'

interface Price {
  // The value of one unit in US dollars.
  usd: string
  // The largest relative deviation from the table, up or down.
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

// Rates have significant digits rather than decimals, so that small values are as precise as large ones.
const rateDigits = 10
const minuteMs = 60_000
const usdDecimals = 2

const driftHexDigits = 8
const driftMidpoint = new Decimal('2').pow(31)

// Between -1 and 1, the same on every machine in the same minute.
function computeDrift(label: string, instant: number): Decimal {
  const digest = deriveDigest('price', label, Math.floor(instant / minuteMs))
  const drawn = new Decimal(String(Number.parseInt(digest.slice(0, driftHexDigits), 16)))
  return drawn.minus(driftMidpoint).div(driftMidpoint)
}

// Division with this many digits is the slowest part of a quote. Prices are constant within a minute, and rules that fire
// together use the same ones, so the results of the most recent minute are cached.
const cache = {minute: -1, values: new Map<string, Decimal>()}

const cacheEntriesMax = 1_000

function cachePerMinute(instant: number, name: string, compute: () => Decimal): Decimal {
  const minute = Math.floor(instant / minuteMs)
  if (cache.minute !== minute || cache.values.size >= cacheEntriesMax) Object.assign(cache, {minute, values: new Map()})
  const known = cache.values.get(name) ?? compute()
  cache.values.set(name, known)
  return known
}

function getUsdPrice(label: string, instant: number): Decimal {
  const price = lookUp(prices, label)
  if (!price) throw new Error(`There is no price of ${label}`)
  return cachePerMinute(instant, label, () =>
    new Decimal(price.usd).times(computeDrift(label, instant).times(new Decimal(price.swing)).plus(new Decimal('1'))),
  )
}

// The factor from the source to the destination currency. It is 1 for the same currency on any network.
export function computeRate(source: string, destination: string, instant: number): Decimal {
  if (source === destination) return new Decimal('1')
  return cachePerMinute(instant, `${source} ${destination}`, () =>
    getUsdPrice(source, instant).div(getUsdPrice(destination, instant)).prec(rateDigits, roundDown),
  )
}

export const formatRate = (rate: Decimal) => rate.toFixed()

export const formatInUsd = (amount: Decimal, label: string, instant: number): string =>
  amount.times(getUsdPrice(label, instant)).toFixed(usdDecimals, roundHalfUp)

export const convertFromUsd = (usd: Decimal, label: string, instant: number): Decimal =>
  cachePerMinute(instant, `${usd.toFixed()} USD in ${label}`, () =>
    usd.div(getUsdPrice(label, instant)).round(getDecimals(label), roundUp),
  )
