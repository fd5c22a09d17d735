// How prices and fees are rounded: what arrives down, what is charged up, dollars to the nearest cent.
import {Big} from 'big.js'
import * as fc from 'fast-check'
import {expect, it} from 'vitest'
import {getDecimals} from '../../../../src/sandbox/service/money/currencies.ts'
import {
  computeDeveloperFee,
  computeRate,
  computeServiceFee,
  convertByRate,
  getUsdPrice,
} from '../../../../src/sandbox/service/money/prices.ts'
import {seed} from '../../../support/seed.ts'

// More digits than any figure here has.
const Exact = Big()
Exact.DP = 60

const label = fc.constantFrom('USD', 'EUR', 'CAD', 'INR', 'USDC', 'USDT')
const instant = fc.integer({min: Date.UTC(2020, 0), max: Date.UTC(2040, 0)})
const cents = fc.oneof(fc.integer({min: 0, max: 100_000}), fc.integer({min: 0, max: 10 ** 14}))

it('rounds in favour of the service, to the smallest unit', () => {
  fc.assert(
    fc.property(cents, label, label, instant, (count, from, to, at) => {
      const amount = new Exact(count).div(100)
      const [price, other] = [getUsdPrice(from, at), getUsdPrice(to, at)]
      const rate = computeRate(price, other)
      const exact = new Exact(price).div(other)
      expect(exact.minus(rate).toNumber()).toBeGreaterThanOrEqual(0)
      expect(exact.minus(rate).div(exact).toNumber()).toBeLessThan(1e-9)
      expect(convertByRate(amount, rate, to).eq(amount.times(rate).round(getDecimals(to), Big.roundDown))).toBe(true)
      const unit = new Exact(10).pow(-getDecimals(from))
      const fee = computeServiceFee(amount, {label: from, price}, 'BASE', 'ACH')
      const excess = fee.amount.minus(amount.times('0.005')).minus(new Exact('0.25').div(price))
      expect(excess.gte('-1e-12') && excess.lt(unit.times(2))).toBe(true)
      expect(fee.usd).toBe(new Exact(fee.amount).times(price).toFixed(2, Big.roundHalfUp))
      const requested = {developerFeeType: 'USD', developerFeeAmount: '0.25'} as const
      expect(computeDeveloperFee(requested, {label: from, price})).toMatchObject({fee: {usd: '0.25'}})
    }),
    {seed, numRuns: 400},
  )
})
