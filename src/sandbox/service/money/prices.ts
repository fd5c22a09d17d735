// Prices and fees: a fixed table of values in US dollars that vary slightly with each minute of the virtual clock, the service's
// fee, and the developer's.
import {minuteMs} from '../../../values/time.ts'
import {Big} from 'big.js'
import type {z} from 'zod'
import type {Problem} from '../../../contract/problems.ts'
import type {quoteCreate} from '../../../contract/quotes.ts'
import {lookUp} from '../../../values/records.ts'
import {deriveDigest} from '../../store/ids.ts'
import {Decimal, type PaymentMethod, getDecimals, isFiat, isTooFine, methodFacts, writeAmount} from './currencies.ts'

const {roundDown, roundUp} = Big

// The value of one unit in US dollars, and the largest relative deviation from it, up or down.
const prices: Readonly<Record<string, readonly [usd: string, swing: string]>> = {
  USD: ['1', '0'],
  EUR: ['1.0845', '0.004'],
  CAD: ['0.7312', '0.004'],
  INR: ['0.01187', '0.004'],
  USDC: ['0.9999', '0.0001'],
  USDT: ['0.9997', '0.0003'],
}

// Rates have significant digits rather than decimals, so that small values are as precise as large ones.
const rateDigits = 10
const usdDecimals = 2

const driftHexDigits = 8
const driftMidpoint = 2 ** 31
const driftDecimals = 9

// Between -1 and 1, the same on every machine in the same minute.
function computeDrift(label: string, minute: number): Big {
  const digest = deriveDigest('price', label, minute)
  const drawn = Number.parseInt(digest.slice(0, driftHexDigits), 16) / driftMidpoint - 1
  return new Decimal(drawn.toFixed(driftDecimals))
}

// The prices of the last minute that was asked for, since most quotes have the same ones.
const pricesKnown = {minute: Number.NaN, byLabel: new Map<string, Big>()}

export function getUsdPrice(label: string, instant: number): Big {
  const minute = Math.floor(instant / minuteMs)
  if (pricesKnown.minute !== minute) Object.assign(pricesKnown, {minute, byLabel: new Map()})
  const known = pricesKnown.byLabel.get(label)
  if (known) return known
  const [usd, swing] = lookUp(prices, label) ?? []
  if (usd === undefined || swing === undefined) throw new Error(`There is no price of ${label}`)
  const price = computeDrift(label, minute).times(swing).plus('1').times(usd)
  pricesKnown.byLabel.set(label, price)
  return price
}

// A price is the same object all its minute long, so that each quotient is computed once: division takes longer than all the rest.
const quotients = new WeakMap<Big, Map<Big | string, Big>>()

function divideByPrice(value: Big | string, price: Big): Big {
  const known = quotients.get(price) ?? new Map<Big | string, Big>()
  quotients.set(price, known)
  const quotient = known.get(value) ?? new Decimal(value).div(price)
  known.set(value, quotient)
  return quotient
}

// The factor from the source to the destination currency. It is 1 for the same currency on any network.
export const computeRate = (sourcePrice: Big, destinationPrice: Big): string =>
  divideByPrice(sourcePrice, destinationPrice).prec(rateDigits, roundDown).toFixed()

// An amount of one currency in another, by a rate.
export const convertByRate = (amount: Big, rate: string, label: string): Big =>
  amount.times(rate).round(getDecimals(label), roundDown)

const roundUpTo = (label: string, amount: Big): Big => amount.round(getDecimals(label), roundUp)

export interface PricedCurrency {
  label: string
  price: Big
}

export interface Fee {
  amount: Big
  usd: string
}

const createFee = (amount: Big, {price}: PricedCurrency): Fee => ({
  amount,
  usd: amount.times(price).toFixed(usdDecimals),
})

// A route from a bank rail is priced by that rail, any other by the method on which the money arrives.
export function computeServiceFee(amount: Big, currency: PricedCurrency, from: PaymentMethod, to: PaymentMethod): Fee {
  const {share, fixedUsd} = methodFacts[isFiat(from) ? from : to]
  const {label, price} = currency
  const ofAmount = roundUpTo(label, amount.times(share))
  return createFee(ofAmount.plus(roundUpTo(label, divideByPrice(fixedUsd, price))), currency)
}

type DeveloperFeeRequest = NonNullable<z.output<typeof quoteCreate>['developerFee']>

const amountPath = 'developerFee.developerFeeAmount'

// The integrator's own fee in the source currency, or the problem with it.
export function computeDeveloperFee(
  requested: DeveloperFeeRequest | undefined,
  currency: PricedCurrency,
): {fee: Fee} | {problem: Problem} {
  const unit = requested?.developerFeeType === 'USD' ? 'USD' : currency.label
  const amount = new Decimal(requested?.developerFeeAmount ?? '0')
  if (isTooFine(amount, unit)) return {problem: {path: amountPath, message: `has more decimals than ${unit} has`}}
  if (unit === currency.label) return {fee: createFee(amount, currency)}
  const usd = amount.toFixed(usdDecimals)
  return {fee: {amount: roundUpTo(currency.label, new Decimal(usd).div(currency.price)), usd}}
}

// On the Builder tier the integrator's fee must be at least the service's fee.
export function checkBuilderFee(requested: DeveloperFeeRequest | undefined, own: Fee, svc: Fee, label: string) {
  if (own.amount.gte(svc.amount)) return undefined
  const least = `at least ${writeAmount(svc.amount, label)} ${label}, the service's own fee, on the Builder tier`
  return requested
    ? {path: amountPath, message: `must be ${least}`}
    : {path: 'developerFee', message: `is required: it must be ${least}`}
}
