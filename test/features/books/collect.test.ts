// Which payments the books post, which they only name, and why.
import {describe, expect, it} from 'vitest'
import {parseMonth} from '../../../src/books/books.ts'
import {findBooksProblem} from '../../../src/books/write-books.ts'
import {walkPayments} from '../../../src/payments/journal/walk.ts'
import {type Payment, deriveCorrelationId} from '../../../src/payments/protocol/payment.ts'
import {useStores} from '../../money/stores/stores.ts'
import {lease, recordIntent} from '../../support/lease.ts'
import {enterState} from '../../support/recorded.ts'
import {transactionId} from '../../support/transactions.ts'
import {buildBooks, createPayment, createTransaction, customerId, serviceId} from './build-books.ts'

const november = parseMonth('2026-11')
const listKeys = (payments: Iterable<{key?: string | undefined}>) => [...payments].map(({key}) => key)
const completedAt = (number: number, updatedAt: string) => createTransaction(number, 'Completed', {updatedAt})
const ofSvc = deriveCorrelationId(serviceId, 'another-journal')
const {content} = createPayment(1)

interface Given {
  payments: Payment[]
  transactions: Array<Record<string, unknown>>
  now?: string
  dealtWith?: string[]
  posted?: string[]
  // Kind, key and why.
  omitted?: string[]
  // What keeps the books open.
  problem?: string
}

const given: Record<string, Given> = {
  'what was completed from the first instant of the period up to but without the last, in that order': {
    payments: [0, 1, 2, 3].map((number) => createPayment(number)),
    transactions: [
      completedAt(2, '2026-11-30T23:59:59.999Z'),
      completedAt(0, '2026-10-31T23:59:59Z'),
      completedAt(1, '2026-11-01T00:00:00Z'),
      completedAt(3, '2026-12-01T00:00:00Z'),
    ],
    posted: ['pay-1', 'pay-2'],
    // It was made before the end of the month, and completed after it.
    omitted: [expect.stringContaining('OPEN pay-3') as string],
  },
  'neither what failed nor what is open, which closes the books all the same': {
    payments: [0, 1, 2, 3, 4, 5].map((number) => createPayment(number)),
    transactions: ['FAILED', 'cancelled', 'EXPIRED', 'PROCESSING', 'AWAITING_TRANSFER', 'REFUNDED'].map(
      (status, number) => createTransaction(number, status),
    ),
    omitted: [
      'FAILED pay-0: the money did not arrive',
      'FAILED pay-1: CANCELLED, so the money did not arrive',
      'FAILED pay-2: EXPIRED, so the money did not arrive',
      'OPEN pay-3: not completed yet, PROCESSING',
      'OPEN pay-4: not completed yet, AWAITING_TRANSFER',
      'OPEN pay-5: not completed yet, REFUNDED',
    ],
  },
  'nothing that is unknown, not listed, in no journal or unreadable, which keeps them open': {
    payments: [
      createPayment(1, 'UNKNOWN'),
      createPayment(2, 'ARMED'),
      createPayment(3, 'ABANDONED'),
      createPayment(4),
      createPayment(5),
      createPayment(6, 'REJECTED'),
      createPayment(7),
    ],
    transactions: [
      createTransaction(3),
      createTransaction(5, 'COMPLETED', {destination: {exchangeRate: '1', destinationAmount: 'many'}}),
      createTransaction(7, 'COMPLETED', {destination: {}, fees: null}),
      createTransaction(8, 'COMPLETED', {correlationId: ofSvc, quoteId: 'q'}),
      createTransaction(9, 'COMPLETED', {correlationId: 'rule-7', quoteId: 'r'}),
    ],
    omitted: [
      'NOT_IN_JOURNAL : made by svc, but not with this journal',
      'NOT_LISTED pay-4: the service does not list it',
      'UNKNOWN pay-1: the journal says UNKNOWN',
      'UNKNOWN pay-2: the journal says ARMED',
      `UNKNOWN pay-3: the journal says ABANDONED, and the service has transaction ${transactionId(3)}`,
      'UNREADABLE pay-5: destinationAmount is not a decimal',
      'UNREADABLE pay-7: destinationAmount is missing',
    ],
    problem: 'The books of this time cannot be closed: 1 NOT_IN_JOURNAL, 1 NOT_LISTED, 3 UNKNOWN, 2 UNREADABLE',
  },
  // What a service lists no longer is asked about in the months in which it can have been
  // completed, and not for ever.
  ...Object.fromEntries(
    (
      [
        [
          'in the period',
          {at: '2026-11-03', omitted: ['NOT_LISTED pay-1: the service does not list it'], isOpen: true},
        ],
        [
          'a month before',
          {at: '2026-10-02', omitted: ['NOT_LISTED pay-1: the service does not list it'], isOpen: true},
        ],
        ['long before', {at: '2026-09-15', omitted: []}],
        [
          'in the period, and dealt with',
          {
            at: '2026-11-03',
            dealtWith: [transactionId(1)],
            omitted: ['DEALT_WITH pay-1: the service does not list it; dealt with: asked'],
          },
        ],
        [
          'in the period, and failed',
          {at: '2026-11-03', ended: 'FAILED', omitted: ['FAILED pay-1: the money did not arrive']},
        ],
        ['a month before, and failed', {at: '2026-10-02', ended: 'FAILED', omitted: []}],
      ] as Array<[string, {at: string; ended?: 'FAILED'; dealtWith?: string[]; omitted: string[]; isOpen?: true}]>
    ).map(([when, {at, ended, isOpen, ...more}]) => {
      const madeAt = Date.parse(at)
      const payments = [createPayment(1, 'CREATED', {madeAt, updatedAt: madeAt, ...(ended && {ended})})]
      const problem = isOpen && {problem: 'The books of this time cannot be closed: 1 NOT_LISTED'}
      return [`what is not listed any more, made ${when}`, {payments, transactions: [], ...more, ...problem}]
    }),
  ),
  'not yet what is too new to be listed': {
    payments: [createPayment(1)],
    transactions: [],
    now: '2026-11-03T12:05:00Z',
    omitted: ['OPEN pay-1: too new to be listed yet'],
  },
  'every transaction of a payment that has several, once, and say so': {
    payments: [createPayment(1), createPayment(2, 'CREATED', {transactionId: transactionId(1)})],
    transactions: [createTransaction(1), createTransaction(7, 'COMPLETED', {quoteId: 'quote_1', correlationId: ''})],
    posted: ['pay-1', 'pay-1'],
    problem: expect.stringContaining('1 payment with several transactions') as string,
  },
}

describe('the books', () => {
  it.each(Object.entries(given))('post %s', async (_, {posted = [], omitted = [], problem, ...settings}) => {
    const books = await buildBooks({...settings, period: november})
    expect(listKeys(books.completed)).toEqual(posted)
    expect([...books.omitted].map(({kind, key = '', detail}) => `${kind} ${key}: ${detail}`)).toEqual(omitted)
    expect(findBooksProblem(books)?.message).toEqual(problem)
  })

  it('mark a paid account from which payments were made as own, and keep every digit of a number', async () => {
    const source = {...content.source, sourcePaymentAccountId: 'bank_1'}
    const sourceAmount = JSON.rawJSON('100.123456789012345678')
    const {source: paidFrom, ...made} = createTransaction(1)
    const books = await buildBooks({
      payments: [createPayment(1), createPayment(2, 'CREATED', {content: {...content, source}})],
      transactions: [
        {...made, source: {...(paidFrom as object), sourceAmount}},
        completedAt(2, '2026-10-01T00:00:00Z'),
      ],
      period: november,
    })
    expect(books.completed).toMatchObject([
      {source: {amount: '100.123456789012345678'}, destination: {accountId: 'bank_1', isOwn: true}},
    ])
  })

  it('are of one customer, or of all', async () => {
    const other = {...content, customerId: '00000000-0000-4000-8000-000000000002'}
    const payments = [createPayment(1), createPayment(2, 'CREATED', {content: other})]
    const transactions = [1, 2].map((number) => createTransaction(number))
    expect(listKeys((await buildBooks({payments, transactions})).completed)).toEqual(['pay-1', 'pay-2'])
    const one = await buildBooks({payments, transactions, customerId: customerId.toUpperCase()})
    expect(listKeys(one.completed)).toEqual(['pay-1'])
  })
})

describe.each(useStores())('the books of a journal in $name', (store) => {
  it('have every payment of the service', async () => {
    const journal = await (await store.create()).open()
    for (const key of ['pay-2', 'pay-1', 'Pay-3']) {
      const {lease: held, payment} = await lease(journal, {serviceId, key, content})
      const made = enterState(payment, 'CREATED', {made: {transactionId: transactionId(Number(key.at(-1)))}})
      await journal.commit(held, made, {what: 'CREATED'})
    }
    await recordIntent(journal, {serviceId: 'other', key: 'pay-9', content})
    const walked = await Array.fromAsync(walkPayments(journal, {serviceId}))
    expect(new Set(listKeys(walked.flat()))).toEqual(new Set(['Pay-3', 'pay-1', 'pay-2']))
    const transactions = [1, 2, 3].map((number) => createTransaction(number))
    expect((await buildBooks({payments: [], transactions, journal})).completed).toHaveLength(3)
  })
})
