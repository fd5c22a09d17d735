// Amounts of money from anywhere: what is no amount never reaches the decimal library.
import {describe, expect, it} from 'vitest'
import {
  addAmounts,
  findHighFees,
  isZeroAmount,
  normalizeAmount,
  parseDecimal,
  parsePositiveDecimal,
} from '../../../src/values/money.ts'

const tooLong = `1${'0'.repeat(1_000_000)}`

describe('parseDecimal', () => {
  it.each([
    ['1.50', '1.5'],
    ['15e-1', '1.5'],
    ['1e+21', '1000000000000000000000'],
    ['-0.5', '-0.5'],
    ['-0', '0'],
    ['100.00000000000000000001', '100.00000000000000000001'],
  ])('reads %s', (text, plain) => {
    expect(parseDecimal(text)?.toFixed()).toBe(plain)
  })

  const huge = ['1e99999999', '-1e99999999', '1e-99999999', '1e41', '0e41', tooLong]
  it.each([...huge, 'NaN', '', '-', '.', ' 1', '0x10'])('does not read %.20s', (text) => {
    expect(parseDecimal(text)).toBeUndefined()
    expect(normalizeAmount(text)).toBe(text)
    expect(isZeroAmount(text)).toBe(false)
    expect(addAmounts([text, '1'])).toBeUndefined()
  })
})

it('parsePositiveDecimal reads zero, and nothing below it', () => {
  const read = ['0', '-0', '0.00', '-0.01', '-1'].map((text) => parsePositiveDecimal(text)?.toFixed() ?? 'none')
  expect(read.join(' ')).toBe('0 0 0 none none')
})

const findShare = (amount: string, fees: string[], feeCurrency = 'USDC') =>
  findHighFees({amount, currency: 'usdc', fees, feeCurrency})

describe('high fees', () => {
  it.each([
    ['100', ['5.00'], undefined],
    ['100', ['5.000001'], '5.1 %'],
    ['100', ['4', '2'], '6 %'],
    ['2.50', ['0.60', ''], '24 %'],
    ['3', ['1'], '33.4 %'],
    ['1', ['3'], '300 %'],
  ])('of %s with %j are %s of what is sent', (amount, fees, share) => {
    expect(findShare(amount, fees)).toBe(share)
  })

  it.each([
    ['100', '50', 'USD'],
    ['100', '50', ''],
    ['0', '50', 'USDC'],
    ['100', '-50', 'USDC'],
    ['100', 'many', 'USDC'],
    ['100', '', 'USDC'],
  ])('are not told of what cannot be compared: %s, %s %s', (amount, fee, currency) => {
    expect(findShare(amount, [fee], currency)).toBeUndefined()
  })
})
