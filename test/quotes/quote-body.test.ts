// The body of a quote, its validation, and how long a quote is valid.
import {describe, expect, it} from 'vitest'
import {validateQuote, readQuoteBody, calculateQuoteEndMs} from '../../src/quotes/quote-body.ts'

const customer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const flags = {
  customer,
  from: 'acc_1',
  'from-currency': 'USD',
  'from-method': 'ACH',
  to: 'acc_2',
  'to-currency': 'USDC',
  'to-method': 'BASE',
  amount: '100',
}

describe('the body of a quote', () => {
  it('has a fee in the source currency by default', async () => {
    const fee = {'developer-fee': '0'}
    expect((await readQuoteBody({...flags, ...fee}))['developerFee']).toEqual({
      developerFeeType: 'SOURCE_CURRENCY',
      developerFeeAmount: '0',
    })
    expect((await readQuoteBody({...flags, ...fee, 'developer-fee-type': 'USD'}))['developerFee']).toMatchObject({
      developerFeeType: 'USD',
    })
  })

  it.each(['0', '0.000', '00'])('rejects the amount %s', async (amount) => {
    const {missing, problems} = validateQuote(await readQuoteBody({...flags, amount}))
    expect({missing, problems}).toEqual({
      missing: [],
      problems: [{path: 'source.sourceAmount', isWarning: true, message: 'should be more than 0'}],
    })
  })
})

describe('the expiry of a quote', () => {
  const askedMs = Date.UTC(2026, 10, 15, 12, 0, 0, 400)
  const answeredMs = askedMs + 100
  const latestMs = askedMs + 300_000

  it.each([
    ['2026-11-15T12:05:00Z', latestMs, 'cut to whole seconds'],
    ['2026-11-15T12:03:00Z', Date.UTC(2026, 10, 15, 12, 3), 'of a machine whose clock is ahead'],
    ['2026-11-15T12:07:00Z', latestMs, 'of a machine whose clock is behind'],
    ['2027-03-01T00:00:00Z', latestMs, 'of a sandbox that is months ahead'],
    ['2026-11-15T11:00:00Z', latestMs, 'that seems to be past'],
    ['soon', latestMs, 'that cannot be read'],
    [undefined, latestMs, 'that is missing'],
  ])('with expiresAt %s is at %i: one %s', (expiresAt, endMs, _why) => {
    expect(calculateQuoteEndMs(expiresAt, askedMs, answeredMs)).toBe(endMs)
  })
})
