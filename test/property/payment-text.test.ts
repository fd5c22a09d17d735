// The text of a payment: whatever is written is read back the same, and nothing less is taken for a payment.
import * as fc from 'fast-check'
import {expect, it} from 'vitest'
import {readPayment, toPaymentText} from '../../src/payments/journal/payment-text.ts'
import {type Payment, paymentStates} from '../../src/payments/protocol/payment.ts'
import {enterState} from '../support/recorded.ts'
import {checkInputs, fromSeed} from './fuzz.ts'

const text = fc.string({unit: 'grapheme'})
const count = fc.nat()
// Fields that may be missing, but are never undefined.
const partly = <T extends object>(fields: {[Name in keyof T]: fc.Arbitrary<T[Name]>}) =>
  fc.record(fields, {requiredKeys: []})
const limits = partly({rateMin: text, receivedMin: text, sentMax: text, feeMax: fc.record({percent: text})})

const content: fc.Arbitrary<Payment['content']> = fc
  .tuple(
    fc.record({
      customerId: text,
      source: fc.record({
        sourcePaymentAccountId: text,
        sourceCurrency: text,
        sourcePaymentMethod: fc.constantFrom('ACH', 'SOLANA'),
        sourceAmount: text,
      }),
      destination: fc.record({
        destinationPaymentAccountId: text,
        destinationPaymentMethod: fc.constantFrom('ACH', 'SEPA'),
        destinationCurrency: text,
      }),
    }),
    partly({receive: text}),
  )
  .map(([fixed, more]) => ({...fixed, ...more}))

const price = fc.record({rate: text, received: text, svcFee: text, developerFee: text, feeCurrency: text})
const attempt = fc
  .tuple(
    fc.record({quote: fc.record({id: text, expiresAt: count, price, aheadMs: fc.integer()})}),
    partly({
      hadOtherContent: fc.constant(true as const),
      customerId: text,
      armed: fc.record({
        bytes: text,
        idempotencyKey: text,
        at: count,
        locallyAt: count,
        isGuaranteed: fc.boolean(),
        limits,
        sends: count,
      }),
      absentSince: fc.record({service: count, local: count}),
      refused: fc.record({error: text, statusCode: count, isConfirmed: fc.boolean()}),
      answered: fc.record({statusCode: count}),
      reason: text,
    }),
  )
  .map(([quoted, more]) => ({...quoted, ...more}))

const times = {createdAt: 1, updatedAt: 2}
const intended = fc
  .tuple(
    fc.record({serviceId: text, key: text, content, attempts: fc.array(attempt, {maxLength: 3})}),
    partly({
      template: text,
      slot: text,
      note: text,
      dismissed: fc.constant(true as const),
      noQuote: fc.record({error: text, statusCode: count, contentDigest: text, attempts: count}),
    }),
  )
  .map(([fixed, more]): Payment => ({...fixed, ...more, state: 'INTENDED', ...times}))
const made = partly({
  madeAt: count,
  ended: fc.constantFrom('FAILED', 'EXPIRED'),
  wentElsewhere: fc.constant(true as const),
  meant: content,
  limits,
  settledBy: fc.constant('person' as const),
})
const anyPayment = fc.oneof(
  intended,
  fc
    .tuple(intended, fc.constantFrom(...paymentStates), made)
    .map(([payment, state, fields]) => enterState(payment, state, {made: fields})),
)

it(`reads back any payment that was written as it was, ${fromSeed}`, () =>
  checkInputs(anyPayment, {}, (payment) => {
    expect({...readPayment(toPaymentText(payment)), ...times}).toEqual(payment)
  }))

// Each field that every payment or every attempt has, and what only a made one has.
const needed = ['serviceId', 'key', 'content', 'state', 'attempts', 'transactionId']
const neededOfAttempt = ['id', 'expiresAt', 'price', 'aheadMs', 'bytes', 'at', 'sends', 'isConfirmed', 'service']

it(`takes a text for damaged that lacks a field, and for that of another svc by its version, ${fromSeed}`, () => {
  const read = (value: object) => () => readPayment(JSON.stringify(value))
  return checkInputs(fc.tuple(intended, attempt), {}, ([payment, last]) => {
    const whole: object = JSON.parse(toPaymentText(enterState(payment, 'CREATED', {attempts: [last]})))
    for (const name of needed) expect(read({...whole, [name]: undefined})).toThrow(SyntaxError)
    for (const name of neededOfAttempt) {
      const spoiled = JSON.stringify(whole, (field, value: unknown) => (field === name ? null : value))
      if (spoiled !== JSON.stringify(whole)) expect(() => readPayment(spoiled)).toThrow(SyntaxError)
    }
    for (const v of [undefined, 0, 2, '1']) expect(read({...whole, v})).toThrow(/another version of svc/)
  })
})
