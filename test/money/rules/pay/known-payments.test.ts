// What other payments of the journal say about one that is asked for, as tables: which of them are duplicates of it, and which have
// its key.
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../../../src/errors.ts'
import {
  buildDuplicateQuery,
  createDuplicateError,
  describeDuplicate,
  pickDuplicates,
} from '../../../../src/payments/protocol/duplicates.ts'
import {
  createKeyUsedError,
  requireNotMadeElsewhere,
  requireNotPaidElsewhere,
  requireSameContent,
} from '../../../../src/payments/protocol/key-use.ts'
import type {PaymentContext} from '../../../../src/payments/protocol/context.ts'
import {
  type Payment,
  type PaymentContent,
  type PaymentState,
  paymentStates,
} from '../../../../src/payments/protocol/payment.ts'
import {enterState} from '../../../support/recorded.ts'
import {content, serviceId} from '../../connect.ts'

const wanted: Payment = {serviceId, key: 'rent', content, state: 'INTENDED', attempts: [], createdAt: 0, updatedAt: 0}

const send = (change: Partial<PaymentContent['source']>): PaymentContent => ({
  ...content,
  source: {...content.source, ...change},
})
const payTo = (change: Partial<PaymentContent['destination']>, receive?: string): PaymentContent => ({
  ...content,
  destination: {...content.destination, ...change},
  ...(receive !== undefined && {receive}),
})
const other = {sourceAmount: '99'}
const arriving = (receive: string, sourceAmount = '12.34'): PaymentContent => ({...send({sourceAmount}), receive})

describe('a payment of the same day', () => {
  it.each<[string, boolean, Partial<Payment>, Partial<Payment>?]>([
    ['under another key', true, {}],
    ['under its own key', false, {key: wanted.key}],
    ['that ended badly', false, {state: 'CREATED', transactionId: 't', ended: 'FAILED'}],
    ['of another amount', false, {content: send(other)}],
    ['of the same amount, written otherwise', true, {content: send({sourceAmount: '12.340', sourceCurrency: 'usdc'})}],
    ['of another currency', false, {content: send({sourceCurrency: 'USDT'})}],
    ['to another account', false, {content: payTo({destinationPaymentAccountId: 'other'})}],
    ['of another template', true, {template: 'wages'}, {template: 'rent'}],
    ['of the same template, in another slot', false, {template: 'rent'}, {template: 'rent'}],
    ['of a template, where this one has none', true, {template: 'rent'}],
    ['by which the same arrives', true, {content: arriving('5', '99')}, {content: arriving('5.0')}],
    ['by which something else arrives', false, {content: arriving('6', '99')}, {content: arriving('5')}],
    [
      'by which another currency arrives',
      false,
      {content: {...payTo({destinationCurrency: 'EUR'}, '5'), source: {...content.source, ...other}}},
      {content: arriving('5')},
    ],
    ['of which it is not said what arrives', false, {content: send(other)}, {content: arriving('5')}],
    ['of which alone it is said what arrives', false, {content: arriving('5', '99')}],
  ])('%s is a duplicate: %s', (_name, isDuplicate, change, own = {}) => {
    const paid = {...wanted, key: 'earlier', state: 'ARMED', ...change} as Payment
    expect(pickDuplicates({...wanted, ...own}, [paid])).toEqual(isDuplicate ? [paid] : [])
  })

  it('is looked for by its amount, or by its account alone where an amount has to arrive', () => {
    const query = {serviceId, destination: 'savings', currency: 'USDC', sinceMs: 7}
    expect(buildDuplicateQuery(wanted, 7)).toEqual({...query, amount: '12.34'})
    expect(buildDuplicateQuery({...wanted, content: arriving('5')}, 7)).toEqual({...query, amount: undefined})
  })

  it('is named with its sum, account, key, state and time, the latest one first', () => {
    const at = (key: string, state: PaymentState): Payment => ({...enterState({...wanted, key}, state), updatedAt: 0})
    const lower = {...at('a', 'ARMED'), content: send({sourceCurrency: 'usdc'})}
    expect(describeDuplicate(lower)).toMatch(/^12\.34 USDC to savings under the key a, .* 1970-01-01 00:00/)
    const words = (['ARMED', 'UNKNOWN', 'CREATED', 'QUOTED'] as const).map((state) =>
      describeDuplicate(at('k', state)).replace(/.* k, (.*) at .*/, '$1'),
    )
    expect(new Set(words).size).toBe(4)
    expect(words).toContain('QUOTED')

    expect(createDuplicateError(wanted, [])).toBeUndefined()
    const one = createDuplicateError(wanted, [at('a', 'ARMED')])
    const three = createDuplicateError(wanted, [at('a', 'ARMED'), at('b', 'ARMED'), at('c', 'UNKNOWN')])
    expect(one).toMatchObject({error: 'POSSIBLE_DUPLICATE', message: expect.stringMatching(/key a, .*UTC$/)})
    expect(three?.message).toMatch(/key c, .*\b2 others$/)
  })
})

const readCode = (work: () => void): string => {
  try {
    work()
    return ''
  } catch (error) {
    return error instanceof SvcError ? error.error : String(error)
  }
}

const elsewhere = 'https://another.example'
const sandbox = 'sandbox:1'
const unknown: PaymentContent = {...content, customerId: ''}
const isSpent = (state: PaymentState) => ['ARMED', 'CREATED', 'UNKNOWN'].includes(state)

describe('a key that the journal has', () => {
  it.each<[string, boolean, Partial<Payment>, Partial<Payment>?]>([
    ['at another service, where it may be paid,', true, {}],
    ['at this service', false, {serviceId}],
    ['at a sandbox', false, {serviceId: sandbox}],
    ['at another service, for a payment at a sandbox,', false, {}, {serviceId: sandbox}],
    ['with other content', false, {content: send(other)}],
    ['with content that is not known', true, {content: unknown}],
    ['for content that is not known', true, {content: send(other)}, {content: unknown}],
    ...paymentStates.map((state): [string, boolean, Partial<Payment>] => [
      `with the state ${state}`,
      isSpent(state),
      {state},
    ]),
  ])('%s stops a payment: %s', (_name, stops, change, own = {}) => {
    const found = {...wanted, serviceId: elsewhere, state: 'UNKNOWN', ...change} as Payment
    const code = stops ? 'KEY_AT_OTHER_SERVICE' : ''
    for (const profileName of [undefined, 'acme']) {
      const judge = () => requireNotMadeElsewhere({profileName} as PaymentContext, {...wanted, ...own}, [found])
      expect(readCode(judge)).toBe(code)
    }
  })

  it('says where it may have been made, and how to say that it is the same service', () => {
    const found = ['https://b.example', elsewhere].map((id): Payment => ({
      ...enterState(wanted, 'CREATED'),
      serviceId: id,
    }))
    const explain = (profileName?: string) => {
      try {
        requireNotMadeElsewhere({profileName} as PaymentContext, wanted, found)
        return undefined
      } catch (error) {
        return error as SvcError
      }
    }
    expect(explain()).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`https://b.example (CREATED), ${elsewhere} (CREATED)`),
      hint: expect.stringMatching(/set `SVC_SERVICE=/),
    })
    expect(explain('acme')).toMatchObject({hint: expect.stringMatching(/run `svc /)})
  })

  it.each<[string, boolean, Payment[]]>([
    ['nowhere', false, []],
    ['elsewhere alone', true, [enterState({...wanted, serviceId: elsewhere}, 'CREATED')]],
    ['here too', false, [enterState({...wanted, serviceId: elsewhere}, 'CREATED'), enterState(wanted, 'CREATED')]],
    ['here perhaps', true, [enterState({...wanted, serviceId: elsewhere}, 'CREATED'), enterState(wanted, 'UNKNOWN')]],
  ])('as made %s stops a payment: %s', async (_name, stops, found) => {
    const context = {journal: {findByKey: async () => found}} as unknown as PaymentContext
    const judged = requireNotPaidElsewhere(context, wanted).then(
      () => '',
      (error: SvcError) => error.error,
    )
    expect(await judged).toBe(stops ? 'KEY_AT_OTHER_SERVICE' : '')
  })

  it.each(paymentStates.flatMap((state) => [true, false].map((isKnown) => [state, isKnown] as const)))(
    'and that is %s can take other content only if nothing can have been made, and its own is known: %s',
    (state, isKnown) => {
      const known: Payment = {...enterState(wanted, state), content: isKnown ? content : unknown}
      expect(readCode(() => requireSameContent(known, {content: unknown}))).toBe('')
      expect(readCode(() => requireSameContent(known, {content: known.content}))).toBe('')
      const code = readCode(() => requireSameContent(known, {content: send(other)}))
      const canChange = !isSpent(state) && isKnown
      expect(code).toBe(canChange ? '' : 'KEY_USED')
    },
  )

  it.each([
    ['was made', enterState(wanted, 'CREATED'), false, 'KEY_USED', 2, 'svc journal show rent'],
    ['may have been made', enterState(wanted, 'UNKNOWN'), false, 'KEY_USED', 2, 'svc journal settle rent'],
    [
      'was made, and may have been made again',
      enterState(wanted, 'CREATED'),
      true,
      'OUTCOME_UNKNOWN',
      7,
      'svc transactions list',
    ],
  ] as const)(
    'for a payment that %s says what differs and what to do',
    (_name, known, wasSent, error, exitCode, advice) => {
      const differs = ['amount 12.34 USDC → 99 USDC']
      const hint = expect.stringContaining(advice) as string
      expect(createKeyUsedError(known, send(other), wasSent)).toMatchObject({error, exitCode, hint, problems: differs})
      expect(createKeyUsedError(known, content, wasSent).problems).toBeUndefined()
      expect(createKeyUsedError({...known, content: unknown}, content, wasSent).problems).toBeUndefined()
    },
  )
})
