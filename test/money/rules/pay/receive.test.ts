// How much is sent so that a given amount arrives: found with at most four quotes, whatever the fees are.
import {Big} from 'big.js'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../../../src/errors.ts'
import {type PaymentContent, unknownContent, withReceive} from '../../../../src/payments/protocol/payment.ts'
import {type Offer, chooseAmount, findOffer} from '../../../../src/payments/protocol/receive.ts'
import {seed} from '../../../support/seed.ts'

type Pricing = (sent: Big) => Big | {fee: Big; received: Big}

const content: PaymentContent = {
  ...unknownContent,
  customerId: 'c',
  source: {...unknownContent.source, sourceCurrency: 'USDC'},
  destination: {...unknownContent.destination, destinationCurrency: 'EUR'},
}

// A service with this pricing, and the amounts that it was asked for.
function createSearch(price: Pricing, rate = '1') {
  const asked: string[] = []
  const ask = async ({source}: PaymentContent) => {
    asked.push(source.sourceAmount)
    const told = price(new Big(source.sourceAmount))
    const {fee, received} = 'fee' in told ? told : {fee: new Big(0), received: told}
    return {
      quoteId: `q${asked.length}`,
      estimatedExchangeRate: rate,
      destinationAmount: received.toFixed(2),
      fees: {svcFee: {feeAmount: fee.toFixed()}},
    }
  }
  const find = (receive: string, sentMax?: string) =>
    findOffer({key: 'invoice', content: withReceive(content, receive)}, {sentMax}, ask)
  return {asked, find}
}

const roundDown = (amount: Big) => amount.round(2, Big.roundDown)

describe('the amount to send', () => {
  // The example of chooseAmount: 0.9 for each unit that is left after a fee of 2.
  it('is found by a straight line through what earlier quotes say', () => {
    const toOffer = (amount: number): Offer => {
      const [sent, rate] = [new Big(amount), new Big('0.9')]
      const received = sent.minus('2').times(rate)
      return {sent, received, level: received, rate, quote: {}}
    }
    const [target, unit] = [{received: new Big('90')}, {sent: new Big('0.01'), received: new Big('0.01')}]
    const choose = (sent: readonly number[]) => chooseAmount(sent.map(toOffer), target, unit, 4 - sent.length)
    expect([choose([]), choose([90]), choose([90, 102])].map((amount) => amount?.toFixed())).toEqual([
      '90',
      '102',
      undefined,
    ])
  })

  it('brings what is to arrive, and next to nothing more, with flat and proportional fees', async () => {
    const figures = fc.record({
      rate: fc.integer({min: 10, max: 3_000}).map((one) => new Big(one).div('100')),
      flat: fc.integer({min: 0, max: 500}).map((one) => new Big(one).div('100')),
      percent: fc.integer({min: 0, max: 800}).map((one) => new Big(one).div('100')),
      receive: fc.integer({min: 100, max: 10_000_000}).map((one) => new Big(one).div('100').toFixed(2)),
    })
    await fc.assert(
      fc.asyncProperty(figures, async ({rate, flat, percent, receive}) => {
        const price = (sent: Big) => {
          const fee = flat.plus(sent.times(percent).div('100')).round(6, Big.roundUp)
          const net = sent.minus(fee)
          return {fee, received: net.lt('0') ? new Big(0) : roundDown(net.times(rate))}
        }
        const {asked, find} = createSearch(price, rate.toFixed())
        const {content: found, quote} = await find(receive)
        const {received: arrives} = price(new Big(found.source.sourceAmount))
        expect(asked.length).toBeLessThanOrEqual(4)
        expect(arrives.gte(receive)).toBe(true)
        expect(arrives.minus(receive).lte('0.02'), `${arrives.toFixed()} for ${receive}`).toBe(true)
        expect(quote).toMatchObject({destinationAmount: arrives.toFixed(2)})
      }),
      {seed, numRuns: 300},
    )
  })

  it('is found although of the second quote less than a cent arrives', async () => {
    const {asked, find} = createSearch((sent) => {
      const fee = sent.times('0.074').plus('1.88').round(6, Big.roundUp)
      return {fee, received: fee.gt(sent) ? new Big(0) : roundDown(sent.minus(fee).times('14.33'))}
    }, '14.33')
    expect((await find('1.05')).quote).toMatchObject({destinationAmount: '1.05'})
    expect(asked.slice(0, 2)).toEqual(['1.05', '2.030973'])
  })

  it('is rounded up to the decimals of its currency, and asked for once if the price is 1 to 1', async () => {
    const {asked, find} = createSearch((sent) => sent)
    expect((await find('230')).content.source.sourceAmount).toBe('230.00')
    expect(asked).toEqual(['230.00'])
  })

  it('of a price that jumps is not found: one sentence, code 10, after four quotes', async () => {
    let quotes = 0
    const {asked, find} = createSearch(() => new Big('229.99').minus(quotes++))
    const error = await find('230').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(SvcError)
    expect(error).toMatchObject({kind: 'limit', exitCode: 10})
    expect((error as SvcError).message).toMatch(
      /^The payment invoice was not sent: 4 quotes did not reach the 230 EUR that are to arrive: for \S+ USDC, 229\.99 EUR would arrive$/,
    )
    expect(asked).toHaveLength(4)
  })

  it('is never more than the most that may be sent, and nothing above it is asked for', async () => {
    const {asked, find} = createSearch((sent) => roundDown(sent.times('0.9')))
    await expect(find('230', '250')).rejects.toMatchObject({exitCode: 10, message: expect.stringContaining('250 USDC')})
    expect(asked).toEqual(['250.00'])
    expect((await find('230', '260')).content.source.sourceAmount).toBe('255.555556')
  })

  it('is found although the service refuses the first guess, which is far too much', async () => {
    const {asked, find} = createSearch((sent) => {
      if (sent.gt('10000')) throw new SvcError({error: 'BAD_REQUEST', kind: 'refused', message: 'too much'})
      return roundDown(sent.minus('1').times('16000'))
    }, '16000')
    expect((await find('5000000')).content.source.sourceAmount).toBe('313.50')
    expect(asked.slice(0, 2)).toEqual(['5000000.00', '100.00'])
    expect(asked.length).toBeLessThanOrEqual(4)
  })
})
