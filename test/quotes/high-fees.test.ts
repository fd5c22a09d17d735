// Fees that are more than people expect.
import {describe, expect, it} from 'vitest'
import {findHighFees} from '../../src/quotes/high-fees.ts'

const find = (amount: string, fees: string[], feeCurrency = 'USDC') =>
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
    expect(find(amount, fees)).toBe(share)
  })

  it('are not told of what cannot be compared', () => {
    expect(find('100', ['50'], 'USD')).toBeUndefined()
    expect(find('100', ['50'], '')).toBeUndefined()
    expect(find('0', ['50'])).toBeUndefined()
    expect(find('100', ['-50'])).toBeUndefined()
    expect(find('100', ['many'])).toBeUndefined()
    expect(find('100', [''])).toBeUndefined()
  })
})
