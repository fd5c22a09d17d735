// Prices and fees in whole numbers equal those of a decimal library, for any amount at any time.
import {Big} from 'big.js'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {getDecimals, toDecimalText} from '../../../../src/sandbox/service/money/currencies.ts'
import {
  computeDeveloperFee,
  computeRate,
  computeServiceFee,
  convertByRate,
  convertFromUsd,
  formatInUsd,
} from '../../../../src/sandbox/service/money/prices.ts'
import {seed} from '../../../support/seed.ts'

const labels = ['USD', 'EUR', 'CAD', 'INR', 'USDC', 'USDT'] as const

// More digits than any figure here has.
const Decimal = Big()
Decimal.strict = true
Decimal.DP = 60

const label = fc.constantFrom(...labels)
const instant = fc.integer({min: Date.UTC(2020, 0), max: Date.UTC(2040, 0)})
const minor = fc.oneof(fc.bigInt({min: 0n, max: 100_000n}), fc.bigInt({min: 0n, max: 10n ** 17n}))

const toDecimal = (value: bigint, currency: string) => new Decimal(toDecimalText(value, currency))

const toMinor = (value: Big, currency: string, rounding: 0 | 1 | 2 | 3) =>
  BigInt(
    value
      .times(new Decimal('10').pow(getDecimals(currency)))
      .round(0, rounding)
      .toFixed(0),
  )

// The exact price of one unit in dollars: of so many units, two decimals show every digit that a price has.
function readUsdPrice(currency: string, at: number): Big {
  const unit = 10n ** 45n
  return new Decimal(formatInUsd(unit, currency, at)).div(toDecimal(unit, currency))
}

const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) =>
  fc.assert(property, {seed, numRuns: 400})

describe('prices in whole numbers', () => {
  it('convert by a rate as decimals do, rounded down', () => {
    check(
      fc.property(minor, label, label, instant, (amount, from, to, at) => {
        const rate = computeRate(from, to, at)
        expect(rate).toMatch(/^\d+(\.\d+)?$/)
        const expected = toMinor(toDecimal(amount, from).times(new Decimal(rate)), to, Big.roundDown)
        expect(convertByRate(amount, from, rate, to)).toBe(expected)
      }),
    )
  })

  it('are written in dollars as decimals are, half a cent rounded up', () => {
    check(
      fc.property(minor, label, instant, (amount, currency, at) => {
        const exact = toDecimal(amount, currency).times(readUsdPrice(currency, at))
        expect(formatInUsd(amount, currency, at)).toBe(exact.toFixed(2, Big.roundHalfUp))
      }),
    )
    expect([0n, 1n, 4_999n, 5_000n, 10_000n].map((amount) => formatInUsd(amount, 'USD', 0))).toEqual([
      '0.00',
      '0.01',
      '49.99',
      '50.00',
      '100.00',
    ])
  })

  it('convert dollars as decimals do, rounded up', () => {
    check(
      fc.property(fc.bigInt({min: 0n, max: 10n ** 9n}), label, instant, (cents, currency, at) => {
        const exact = toDecimal(cents, 'USD').div(readUsdPrice(currency, at))
        expect(convertFromUsd(toDecimalText(cents, 'USD'), currency, at)).toBe(toMinor(exact, currency, Big.roundUp))
      }),
    )
  })

  it('give the fees that decimals give', () => {
    check(
      fc.property(minor, label, instant, (amount, currency, at) => {
        const route = {sourceMethod: 'BASE', destinationMethod: 'ACH', currency, minor: amount} as const
        const fixed = new Decimal('0.25').div(readUsdPrice(currency, at)).round(getDecimals(currency), Big.roundUp)
        const exact = toDecimal(amount, currency).times(new Decimal('0.005')).plus(fixed)
        const fee = toMinor(exact, currency, Big.roundUp)
        expect(computeServiceFee(route, at)).toEqual({minor: fee, usd: formatInUsd(fee, currency, at)})
        const requested = {developerFeeType: 'USD', developerFeeAmount: '0.25'} as const
        const ownFee = currency === 'USD' ? 25n : toMinor(fixed, currency, Big.roundUp)
        expect(computeDeveloperFee(requested, currency, at)).toEqual({fee: {minor: ownFee, usd: '0.25'}})
      }),
    )
  })
})
