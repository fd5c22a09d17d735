// The digest of what people approve: equal for the same meaning. That it differs with every field is in attack/every-field-is-shown.test.ts.
import {assert, integer, nat, property, record, string, uniqueArray} from 'fast-check'
import {describe, expect, it} from 'vitest'
import {createPaymentSubject, createPayoutsSubject} from '../../../../src/payments/context/payment-fields.ts'
import type {Plan} from '../../../../src/payments/pay/plan.ts'
import {seed} from '../../../support/seed.ts'

const base: Plan = {
  key: 'rent-1',
  content: {
    customerId: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
    source: {sourcePaymentAccountId: 'w1', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '100'},
    destination: {destinationPaymentAccountId: 'b1', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
  },
  limits: {},
  isGuaranteed: false,
}

const digest = (...rows: Plan[]) => createPayoutsSubject('s', rows).digest

describe('the digest of payments', () => {
  it('is the same for another spelling', () => {
    const {content} = base
    const spelled = {
      ...base,
      content: {
        destination: content.destination,
        customerId: content.customerId.toUpperCase(),
        source: {...content.source, sourceAmount: '100.00', sourceCurrency: 'usdc'},
      },
      limits: {feeMax: undefined, rateMin: undefined},
    } as Plan
    expect(digest(spelled)).toBe(digest(base))
    const limited = {...base, limits: {feeMax: {percent: '1.50'}, rateMin: '1.0'}}
    expect(digest({...base, limits: {rateMin: '1', feeMax: {percent: '1.5'}}})).toBe(digest(limited))
  })

  it('differs for a payment and a file with the same single row, and belongs to a service', () => {
    const [payment, payouts] = [createPaymentSubject('s', base), createPayoutsSubject('s', [base])]
    expect([payment.kind, payouts.kind]).toEqual(['payment', 'payouts'])
    expect(createPaymentSubject('t', base).serviceId).toBe('t')
  })

  it('does not depend on the order of rows, and on nothing else', () => {
    const row = record({key: string({minLength: 1, maxLength: 6}), amount: integer({min: 1, max: 99})})
    const toPayment = ({key, amount}: {key: string; amount: number}): Plan => ({
      ...base,
      key,
      content: {...base.content, source: {...base.content.source, sourceAmount: String(amount)}},
    })
    const rows = uniqueArray(row, {selector: ({key}) => key, minLength: 1, maxLength: 8})
    assert(
      property(rows, nat(), nat({max: 7}), (drawn, turn, at) => {
        const payments = drawn.map(toPayment)
        const turned = [...payments.slice(turn % payments.length), ...payments.slice(0, turn % payments.length)]
        expect(digest(...turned.toReversed())).toBe(digest(...payments))
        const index = at % payments.length
        const more = payments.map((payment, each) =>
          each === index ? toPayment({...drawn[each]!, amount: 100}) : payment,
        )
        expect(digest(...more)).not.toBe(digest(...payments))
        expect(digest(...payments.slice(1))).not.toBe(digest(...payments))
        expect(digest(...payments, payments[index]!)).not.toBe(digest(...payments))
      }),
      {seed},
    )
  })
})
