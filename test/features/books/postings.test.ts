// Postings sum to zero exactly, whatever the figures are, and what rounding takes has an account of its own.
import {Big} from 'big.js'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {CompletedPayment} from '../../../src/books/figures.ts'
import {type Posting, createPostings, hasExchangeDifference} from '../../../src/books/postings.ts'
import {seed} from '../../support/seed.ts'
import {sumBy} from './read-ledger.ts'

// What a posting counts in the sum of its entry: itself, or what it was exchanged for.
function weighPosting({amount, currency, price}: Posting): {amount: Big; currency: string} {
  if (!price) return {amount, currency}
  return {amount: amount.times(price.amount), currency: price.currency}
}

function createPayment(change: Partial<CompletedPayment> = {}, from = 'USDC', to = 'EUR'): CompletedPayment {
  return {
    key: 'k',
    transactionId: 't',
    quoteId: 'q',
    customerId: 'c',
    completedAt: '2026-11-04T09:30:00Z',
    source: {accountId: 'wallet', currency: from, method: 'SOLANA', amount: '100'},
    destination: {accountId: 'bank', currency: to, method: 'SEPA', amount: '90.31'},
    svcFee: '0.75',
    developerFee: '0.25',
    rate: '0.9123',
    ...change,
  }
}

const describePostings = (payment: CompletedPayment) =>
  createPostings(payment).map(
    ({kind, amount, currency, price}) =>
      `${kind} ${amount.toFixed()} ${currency}${price ? ` @ ${price.amount.toFixed()} ${price.currency}` : ''}`,
  )

const sumWeights = (payment: CompletedPayment) =>
  sumBy(
    createPostings(payment).map(weighPosting),
    ({currency}) => currency,
    ({amount}) => amount,
  )

describe('the postings of a payment', () => {
  it('post what rounding does not explain to another account, in either direction', () => {
    const withAmount = (amount: string) => createPayment({destination: {...createPayment().destination, amount}})
    expect(describePostings(withAmount('90')).at(-1)).toBe('exchangeDifference 0.3177 EUR')
    expect(describePostings(withAmount('90.40')).at(-1)).toBe('exchangeDifference -0.0823 EUR')
    expect(hasExchangeDifference(createPostings(withAmount('90')))).toBe(true)
    // One unit of the currency is no rounding any more, and less is.
    expect(describePostings(withAmount('90.3077')).at(-1)).toBe('exchangeDifference 0.01 EUR')
    expect(describePostings(withAmount('90.3078')).at(-1)).toBe('rounding 0.0099 EUR')
    expect(describePostings(createPayment({}, 'USDC', 'JPY')).at(-1)).toBe('rounding 0.0077 JPY')
  })

  it('sum to zero in every currency, for any figures', () => {
    const decimal = (digits: number, places: number) =>
      fc
        .tuple(fc.bigInt(0n, 10n ** BigInt(digits)), fc.nat(places))
        .map(([number, scale]) => new Big(String(number)).times(`1e-${scale}`).toFixed())
    const figures = fc.record({
      amount: decimal(18, 8),
      received: decimal(18, 8),
      svcFee: decimal(9, 6),
      developerFee: decimal(9, 6),
      rate: decimal(12, 12),
      isExchanged: fc.boolean(),
    })
    fc.assert(
      fc.property(figures, ({amount, received, svcFee, developerFee, rate, isExchanged}) => {
        const {source, destination} = createPayment({}, 'USDC', isExchanged ? 'INR' : 'USDC')
        const payment = createPayment({
          // The fees are part of the amount.
          source: {...source, amount: new Big(amount).plus(svcFee).plus(developerFee).toFixed()},
          destination: {...destination, amount: received},
          svcFee,
          developerFee,
          rate,
        })
        expect(sumWeights(payment)).toEqual({})
        const sums = sumBy(
          createPostings(payment),
          ({kind, currency}) => `${kind} ${currency}`,
          (posting) => posting.amount,
        )
        expect(sums['source USDC'] ?? '0').toBe(new Big(payment.source.amount).neg().toFixed())
        expect(sums[`destination ${payment.destination.currency}`] ?? '0').toBe(new Big(received).toFixed())
      }),
      {seed},
    )
  })
})
