// Prices and fees: a fixed table of values in US dollars that vary slightly with each minute of the virtual clock, the service's
// fee, and the developer's.
import {minuteMs} from '../../../values/time.ts'
import {Big} from 'big.js'
import type {z} from 'zod'
import type {Problem} from '../../../contract/problems.ts'
import type {quoteCreate} from '../../../contract/quotes.ts'
import {lookUp} from '../../../values/records.ts'
import {deriveDigest} from '../../store/ids.ts'
import {type PaymentMethod, getDecimals, isFiat, methodFacts, toDecimalText, toMinorUnits} from './currencies.ts'

// Decimal numbers for prices and fees. Strict mode rejects floating-point numbers.
const Decimal = Big()
Decimal.strict = true
Decimal.DP = 30

type Decimal = Big

const {roundDown} = Big

interface Price {
  // The value of one unit in US dollars, in units of 10^-priceDecimals.
  usd: bigint
  // The largest relative deviation from the table, up or down, in units of 10^-swingDecimals.
  swing: bigint
}

const priceDecimals = 5
const swingDecimals = 4

const prices: Readonly<Record<string, Price>> = {
  USD: {usd: 1_00000n, swing: 0n},
  EUR: {usd: 1_08450n, swing: 40n},
  CAD: {usd: 73120n, swing: 40n},
  INR: {usd: 1187n, swing: 40n},
  USDC: {usd: 99990n, swing: 1n},
  USDT: {usd: 99970n, swing: 3n},
}

// Rates have significant digits rather than decimals, so that small values are as precise as large ones.
const rateDigits = 10
const usdDecimals = 2
const zeroUsd = '0.00'

// Quotients are computed to this many decimals before they are rounded to what is shown. Whole numbers are much faster here
// than a decimal library.
const quotientDecimals = 30
const powerOfTen = (exponent: number) => 10n ** BigInt(exponent)
const quotientUnit = powerOfTen(quotientDecimals)

const driftHexDigits = 8
const driftMidpoint = 2n ** 31n

// Half is rounded away from zero.
function divide(dividend: bigint, divisor: bigint): bigint {
  const magnitude = ((dividend < 0n ? -dividend : dividend) * 2n + divisor) / (divisor * 2n)
  return dividend < 0n ? -magnitude : magnitude
}

// Between -1 and 1 in units of 10^-quotientDecimals, the same on every machine in the same minute.
function computeDrift(label: string, instant: number): bigint {
  const digest = deriveDigest('price', label, Math.floor(instant / minuteMs))
  return divide((BigInt(`0x${digest.slice(0, driftHexDigits)}`) - driftMidpoint) * quotientUnit, driftMidpoint)
}

const usdPriceDecimals = priceDecimals + swingDecimals + quotientDecimals
const wholeSwing = powerOfTen(swingDecimals) * quotientUnit

// In units of 10^-usdPriceDecimals.
function getUsdPrice(label: string, instant: number): bigint {
  const price = lookUp(prices, label)
  if (!price) throw new Error(`There is no price of ${label}`)
  return price.usd * (wholeSwing + (price.swing === 0n ? 0n : computeDrift(label, instant) * price.swing))
}

function toDecimal(value: bigint, decimals: number): Decimal {
  const digits = String(value).padStart(decimals + 1, '0')
  return new Decimal(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`)
}

// The factor from the source to the destination currency, as a decimal. It is 1 for the same currency on any network.
export function computeRate(source: string, destination: string, instant: number): string {
  if (source === destination) return '1'
  const quotient = divide(getUsdPrice(source, instant) * quotientUnit, getUsdPrice(destination, instant))
  return toDecimal(quotient, quotientDecimals).prec(rateDigits, roundDown).toFixed()
}

export function formatInUsd(minor: bigint, label: string, instant: number): string {
  if (minor === 0n) return zeroUsd
  const scaled = minor * getUsdPrice(label, instant) * powerOfTen(usdDecimals)
  const cents = divide(scaled, powerOfTen(getDecimals(label) + usdPriceDecimals))
  const digits = String(cents).padStart(usdDecimals + 1, '0')
  return `${digits.slice(0, -usdDecimals)}.${digits.slice(-usdDecimals)}`
}

// A decimal without a sign as a whole number of units of 10^-decimals.
function parseDecimal(text: string): {units: bigint; decimals: number} {
  const [whole = '', fraction = ''] = text.split('.')
  return {units: BigInt(whole + fraction), decimals: fraction.length}
}

const divideRoundingUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor

// In minor units, rounded up.
export function convertFromUsd(usdText: string, label: string, instant: number): bigint {
  const {units, decimals} = parseDecimal(usdText)
  const dividend = units * powerOfTen(usdPriceDecimals + quotientDecimals)
  const quotient = divide(dividend, getUsdPrice(label, instant) * powerOfTen(decimals))
  return divideRoundingUp(quotient * powerOfTen(getDecimals(label)), quotientUnit)
}

// Minor units of one currency in another, by a rate that is a decimal, rounded down.
export function convertByRate(minor: bigint, source: string, rate: string, destination: string): bigint {
  const {units, decimals} = parseDecimal(rate)
  const scaled = minor * units * powerOfTen(getDecimals(destination))
  return scaled / powerOfTen(getDecimals(source) + decimals)
}

const usd = 'USD'

export interface Fee {
  minor: bigint
  usd: string
}

type DeveloperFeeRequest = NonNullable<z.output<typeof quoteCreate>['developerFee']>

interface Route {
  sourceMethod: PaymentMethod
  destinationMethod: PaymentMethod
  currency: string
  minor: bigint
}

const createFee = (minor: bigint, currency: string, instant: number): Fee => ({
  minor,
  usd: formatInUsd(minor, currency, instant),
})

// A route from a bank rail is priced by that rail, any other by the method on which the money arrives.
export function computeServiceFee({sourceMethod, destinationMethod, currency, minor}: Route, instant: number): Fee {
  const {share, fixedUsd} = methodFacts[isFiat(sourceMethod) ? sourceMethod : destinationMethod]
  const {units, decimals} = parseDecimal(share)
  const ofAmount = divideRoundingUp(minor * units, 10n ** BigInt(decimals))
  return createFee(ofAmount + convertFromUsd(fixedUsd, currency, instant), currency, instant)
}

const amountPath = 'developerFee.developerFeeAmount'

// The integrator's own fee in the source currency, or the problem with it.
export function computeDeveloperFee(
  requested: DeveloperFeeRequest | undefined,
  currency: string,
  instant: number,
): {fee: Fee} | {problem: Problem} {
  if (!requested) return {fee: createFee(0n, currency, instant)}
  const unit = requested.developerFeeType === 'USD' ? usd : currency
  const minor = toMinorUnits(requested.developerFeeAmount, unit)
  if (minor === null) return {problem: {path: amountPath, message: `has more decimals than ${unit} has`}}
  if (unit === currency) return {fee: createFee(minor, currency, instant)}
  const stated = toDecimalText(minor, usd)
  return {fee: {minor: convertFromUsd(stated, currency, instant), usd: stated}}
}

// On the Builder tier the integrator's fee must be at least the service's fee.
export function checkBuilderFee(requested: DeveloperFeeRequest | undefined, own: Fee, svc: Fee, currency: string) {
  if (own.minor >= svc.minor) return undefined
  const least = `at least ${toDecimalText(svc.minor, currency)} ${currency}, the service's own fee, on the Builder tier`
  return requested
    ? {path: amountPath, message: `must be ${least}`}
    : {path: 'developerFee', message: `is required: it must be ${least}`}
}
