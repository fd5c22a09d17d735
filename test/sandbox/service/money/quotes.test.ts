// Quotes of the sandbox: prices of routes, and why routes are rejected.
import {describe, expect, it} from 'vitest'
import {listAllCustomers, openTemporary} from '../../open.ts'
import {
  grace,
  nobody,
  type AccountEnd,
  type AccountEndName,
  type AccountEnds,
  minuteMs,
  requestQuote,
  quoteBody,
  expectRejection,
  findAccountEnds,
} from './payments.ts'

const routes: readonly (readonly [AccountEndName, AccountEndName])[] = [
  ['wallet', 'ACH'],
  ['wallet', 'WIRE'],
  ['wallet', 'SEPA'],
  ['wallet', 'CA_INTERAC'],
  ['wallet', 'IN_NEFT_RTGS_IMPS'],
  ['wallet', 'ownWallet'],
  ['ACH', 'wallet'],
  ['WIRE', 'ownWallet'],
  ['SEPA', 'wallet'],
  ['CA_INTERAC', 'wallet'],
  ['IN_NEFT_RTGS_IMPS', 'wallet'],
  ['ownWallet', 'SEPA'],
  ['ownWallet', 'wallet'],
  ['deposits', 'wallet'],
]

describe('a quote', () => {
  it.each(routes)('prices the route from %s to %s', async (from, to) => {
    const sandbox = openTemporary()
    const spots = findAccountEnds(sandbox)
    const {quoteId, expiresAt, estimatedExchangeRate, destinationAmount, fees} = await requestQuote(
      sandbox,
      quoteBody(spots[from], spots[to], '500'),
    )
    expect(quoteId).toMatch(/^quote_[0-9a-f]{24}$/)
    expect(expiresAt).toBe('2026-11-15T12:05:00Z')
    expect(fees.feeCurrency.label).toBe(spots[from].currency)
    const taken = Number(fees.svcFee.feeAmount) + Number(fees.developerFee?.feeAmount)
    expect(taken).toBeGreaterThan(0)
    const expected = (500 - taken) * Number(estimatedExchangeRate)
    expect(Number(destinationAmount)).toBeLessThanOrEqual(expected)
    expect(Number(destinationAmount)).toBeGreaterThan(expected - 0.011)
  })

  it('has a price that changes every minute and is the same on every machine', async () => {
    const rate = async (sandbox = openTemporary()) => {
      const {wallet, SEPA} = findAccountEnds(sandbox)
      return (await requestQuote(sandbox, quoteBody(wallet, SEPA, '100'))).estimatedExchangeRate
    }
    const sandbox = openTemporary()
    const first = await rate(sandbox)
    expect(await rate()).toBe(first)
    sandbox.clock.advance(minuteMs - 1)
    expect(await rate(sandbox)).toBe(first)
    sandbox.clock.advance(1)
    const second = await rate(sandbox)
    expect(second).not.toBe(first)
    expect(Math.abs(Number(second) / Number(first) - 1)).toBeLessThan(0.02)
  })

  it('accepts the developer fee in US dollars or in the source currency', async () => {
    const sandbox = openTemporary()
    const {SEPA, wallet} = findAccountEnds(sandbox)
    const feesFor = async (developerFeeType: string, developerFeeAmount: string) =>
      (
        await requestQuote(
          sandbox,
          quoteBody(SEPA, wallet, '100', {developerFee: {developerFeeType, developerFeeAmount}}),
        )
      ).fees
    const inEuro = await feesFor('SOURCE_CURRENCY', '2.5')
    expect(inEuro).toMatchObject({feeCurrency: {label: 'EUR'}, developerFee: {feeAmount: '2.50'}})
    expect(Number(inEuro.developerFee?.feeUSDAmount)).toBeGreaterThan(2.5)
    const inDollars = await feesFor('USD', '2.5')
    expect(inDollars.developerFee?.feeUSDAmount).toBe('2.50')
    expect(Number(inDollars.developerFee?.feeAmount)).toBeLessThan(2.5)
  })

  it('requires a developer fee of at least the service’s fee on the Builder tier', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    sandbox.faults.setBehaviours({tier: 'builder'})
    const withFee = (developerFeeAmount: string) =>
      quoteBody(wallet, ACH, '100', {developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount}})
    const missing = await expectRejection(sandbox, '/quotes', quoteBody(wallet, ACH, '100'))
    expect(missing).toMatchObject({error: 'BAD_REQUEST', message: expect.stringMatching(/^developerFee is required/)})
    const least = /at least (\d+\.\d+)/.exec(missing.message)?.[1] ?? ''
    expect((await requestQuote(sandbox, withFee(least))).fees).toMatchObject({
      svcFee: {feeAmount: least},
      developerFee: {feeAmount: least},
    })
    const low = await expectRejection(sandbox, '/quotes', withFee(String(Number(least) - 0.001)))
    expect(low.message).toMatch(/^developerFee\.developerFeeAmount must be at least/)
    sandbox.faults.setBehaviours({tier: 'standard'})
    await requestQuote(sandbox, quoteBody(wallet, ACH, '100'))
  })
})

describe('a quote is rejected, naming the field,', () => {
  const bodies: readonly (readonly [string, (ends: AccountEnds, other: AccountEnds) => object, string, string])[] = [
    [
      'without an amount above zero',
      ({wallet, ACH}) => quoteBody(wallet, ACH, '0'),
      'source.sourceAmount',
      'BAD_REQUEST',
    ],
    [
      'with more decimals than the currency has',
      ({ACH, wallet}) => quoteBody(ACH, wallet, '10.001'),
      'source.sourceAmount',
      'BAD_REQUEST',
    ],
    [
      'with more decimals than the token has',
      ({wallet, ACH}) => quoteBody(wallet, ACH, '10.0000001'),
      'source.sourceAmount',
      'BAD_REQUEST',
    ],
    [
      'with an amount above the maximum',
      ({wallet, ACH}) => quoteBody(wallet, ACH, '9'.repeat(30)),
      'source.sourceAmount',
      'BAD_REQUEST',
    ],
    [
      'with fees as large as the amount',
      ({wallet, WIRE}) => quoteBody(wallet, WIRE, '5'),
      'source.sourceAmount',
      'BAD_REQUEST',
    ],
    [
      'with a developer fee as large as the amount',
      ({wallet, ACH}) =>
        quoteBody(wallet, ACH, '10', {developerFee: {developerFeeType: 'USD', developerFeeAmount: '10'}}),
      'source.sourceAmount',
      'BAD_REQUEST',
    ],
    [
      'with a developer fee of too many decimals',
      ({wallet, ACH}) =>
        quoteBody(wallet, ACH, '10', {developerFee: {developerFeeType: 'USD', developerFeeAmount: '0.001'}}),
      'developerFee.developerFeeAmount',
      'BAD_REQUEST',
    ],
    [
      'from fiat to fiat',
      ({ACH, SEPA}) => quoteBody(ACH, SEPA, '10'),
      'destination.destinationPaymentMethod',
      'BAD_REQUEST',
    ],
    [
      'to an automatic fiat account',
      ({wallet, deposits}) => quoteBody(wallet, deposits, '10'),
      'destination.destinationPaymentAccountId',
      'BAD_REQUEST',
    ],
    [
      'from an account to itself',
      ({wallet}) => quoteBody(wallet, {...wallet, id: wallet.id.toUpperCase()}, '10'),
      'destination.destinationPaymentAccountId',
      'BAD_REQUEST',
    ],
    [
      'with a method that is not the account’s',
      ({wallet, ACH}) => quoteBody(wallet, {...ACH, method: 'WIRE'}, '10'),
      'destination.destinationPaymentMethod',
      'BAD_REQUEST',
    ],
    [
      'on a chain that is not the wallet’s',
      ({wallet, ACH}) => quoteBody({...wallet, method: 'POLYGON'}, ACH, '10'),
      'source.sourcePaymentMethod',
      'BAD_REQUEST',
    ],
    [
      'with a currency that the rail does not move',
      ({SEPA, wallet}) => quoteBody({...SEPA, currency: 'USD'}, wallet, '10'),
      'source.sourceCurrency',
      'BAD_REQUEST',
    ],
    [
      'with a currency that is not on the chain',
      ({ACH, wallet}) => quoteBody(ACH, {...wallet, currency: 'DOGE'}, '10'),
      'destination.destinationCurrency',
      'BAD_REQUEST',
    ],
    [
      'from an account of another customer',
      ({ACH}, other) => quoteBody(other.wallet, ACH, '10'),
      'source.sourcePaymentAccountId',
      'BAD_REQUEST',
    ],
    [
      'to an account that does not exist',
      ({wallet, ACH}) => quoteBody(wallet, {...ACH, id: nobody}, '10'),
      'destination.destinationPaymentAccountId',
      'NOT_FOUND',
    ],
    [
      'for a customer who does not exist',
      ({wallet, ACH}) => ({...quoteBody(wallet, ACH, '10'), customerId: nobody}),
      nobody,
      'NOT_FOUND',
    ],
    [
      'for a customer who is not ACTIVE',
      ({wallet, ACH}) => ({...quoteBody(wallet, ACH, '10'), customerId: grace}),
      'customerId',
      'BAD_REQUEST',
    ],
  ]

  it.each(bodies)('%s', async (_, createBody, field, error) => {
    const sandbox = openTemporary()
    const other = findAccountEnds(sandbox, await createOtherCustomer(sandbox))
    const body = createBody(findAccountEnds(sandbox), other)
    const refusal = await expectRejection(sandbox, '/quotes', body)
    expect(refusal.error).toBe(error)
    expect(refusal.message).toContain(field)
  })

  it('with all problems of both ends at once', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const wrong: AccountEnd = {...ACH, method: 'SEPA', currency: 'EUR'}
    const {message} = await expectRejection(sandbox, '/quotes', quoteBody({...wallet, currency: 'EUR'}, wrong, '10'))
    for (const field of ['source.sourceCurrency', 'destinationPaymentMethod', 'destinationCurrency']) {
      expect(message).toContain(field)
    }
  })
})

async function createOtherCustomer(sandbox: ReturnType<typeof openTemporary>): Promise<string> {
  const active = (await listAllCustomers(sandbox)).filter(({customerStatus}) => customerStatus === 'ACTIVE')
  return active.at(-1)?.customerId ?? ''
}
