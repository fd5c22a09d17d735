// Which payments the books post, which they only name, and why.
import {describe, expect, it} from 'vitest'
import {createPeriod, parseMonth} from '../../src/books/books.ts'
import {findBooksProblem, listOmitted, summarizeBooks} from '../../src/books/write-books.ts'
import {walkPayments} from '../../src/payments/journal/entries.ts'
import {deriveCorrelationId} from '../../src/payments/protocol/payment.ts'
import {useStores} from '../payments/journal/stores.ts'
import {transactionId} from '../support/transactions.ts'
import {buildBooks, createPayment, createTransaction, customerId, serviceId} from './build-books.ts'
import {lease, recordIntent} from '../support/lease.ts'

const november = parseMonth('2026-11')
const listKeys = (payments: Iterable<{key?: string | undefined}>) => [...payments].map(({key}) => key)

describe('the books', () => {
  it('post a payment when it was completed, from the first instant of the period up to but without the last', async () => {
    const times = ['2026-10-31T23:59:59Z', '2026-11-01T00:00:00Z', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z']
    const books = await buildBooks({
      payments: times.map((_, index) => createPayment(index)),
      transactions: times.map((updatedAt, index) => createTransaction(index, 'COMPLETED', {updatedAt})),
      period: november,
    })
    expect([...books.completed].map((payment) => [payment.key, payment.completedAt])).toEqual([
      ['pay-1', '2026-11-01T00:00:00Z'],
      ['pay-2', '2026-11-30T23:59:59.999Z'],
    ])
    // It was made before the end of the month, and completed after it.
    expect([...books.omitted].map(({kind, key}) => [kind, key])).toEqual([['OPEN', 'pay-3']])
    expect(findBooksProblem(books)).toBeUndefined()
  })

  it('are in the order of completion, whatever the order of the list, and have each transaction once', async () => {
    const transactions = [3, 1, 2].map((number) =>
      createTransaction(number, 'Completed', {updatedAt: `2026-11-0${number}T00:00:00Z`}),
    )
    const books = await buildBooks({
      payments: [1, 2, 3].map((number) => createPayment(number)),
      transactions,
    })
    expect(listKeys(books.completed)).toEqual(['pay-1', 'pay-2', 'pay-3'])
    expect(books).toMatchObject({foreign: 0, several: 0})
  })

  it('name what failed and what is open, which closes the books all the same', async () => {
    const statuses = ['FAILED', 'cancelled', 'EXPIRED', 'PROCESSING', 'AWAITING_TRANSFER', 'REFUNDED']
    const books = await buildBooks({
      payments: statuses.map((_, index) => createPayment(index)),
      transactions: statuses.map((status, index) => createTransaction(index, status)),
      period: november,
    })
    expect(books.completed).toEqual([])
    expect([...books.omitted].map(({kind, detail}) => `${kind}: ${detail}`)).toEqual([
      'FAILED: the money did not arrive',
      'FAILED: CANCELLED, so the money did not arrive',
      'FAILED: EXPIRED, so the money did not arrive',
      'OPEN: not completed yet, PROCESSING',
      'OPEN: not completed yet, AWAITING_TRANSFER',
      'OPEN: not completed yet, REFUNDED',
    ])
    expect(findBooksProblem(books)).toBeUndefined()
  })

  it('cannot be closed while a payment is unknown, not listed, in no journal or unreadable', async () => {
    const correlationId = deriveCorrelationId(serviceId, 'another-journal')
    const books = await buildBooks({
      payments: [
        createPayment(1, 'UNKNOWN'),
        createPayment(2, 'ARMED'),
        createPayment(3, 'ABANDONED'),
        createPayment(4),
        createPayment(5),
        createPayment(6, 'REJECTED'),
      ],
      transactions: [
        createTransaction(3),
        createTransaction(5, 'COMPLETED', {destination: {exchangeRate: '1', destinationAmount: 'many'}}),
        createTransaction(8, 'COMPLETED', {correlationId, quoteId: 'q'}),
        createTransaction(9, 'COMPLETED', {correlationId: 'rule-7', quoteId: 'r'}),
      ],
      period: november,
    })
    expect([...books.omitted].map(({kind, key, detail}) => [kind, key, detail])).toEqual([
      ['NOT_IN_JOURNAL', undefined, 'made by svc, but not with this journal'],
      ['NOT_LISTED', 'pay-4', 'the service does not list it'],
      ['UNKNOWN', 'pay-1', 'the journal says UNKNOWN'],
      ['UNKNOWN', 'pay-2', 'the journal says ARMED'],
      ['UNKNOWN', 'pay-3', `the journal says ABANDONED, and the service has transaction ${transactionId(3)}`],
      ['UNREADABLE', 'pay-5', 'destinationAmount is not a decimal'],
    ])
    expect(books.foreign).toBe(1)
    const problem = findBooksProblem(books)
    expect(problem).toMatchObject({
      kind: 'finding',
      message: 'The books of this time cannot be closed: 1 NOT_IN_JOURNAL, 1 NOT_LISTED, 3 UNKNOWN, 1 UNREADABLE',
    })
    expect(summarizeBooks(books)).toBe(
      '0 payments completed from 2026-11-01, before 2026-12-01, UTC; 6 not posted; 1 completed transaction without a payment in this journal is not in it: `svc reconcile --foreign --since 2026-11-01` lists it.',
    )
    expect(listOmitted(books)).toContain(
      'UNKNOWN pay-1, 100 USDC, 2026-11-03T12:00:00Z: the journal says UNKNOWN; settle it with `svc journal settle`',
    )
  })

  it('wait for a payment that is too new to be listed', async () => {
    const books = await buildBooks({payments: [createPayment(1)], transactions: [], now: '2026-11-03T12:05:00Z'})
    expect([...books.omitted]).toMatchObject([{kind: 'OPEN', detail: 'too new to be listed yet'}])
  })

  it('post every transaction of a payment that has several, once, and say so', async () => {
    const books = await buildBooks({
      payments: [createPayment(1), createPayment(2, 'CREATED', {transactionId: transactionId(1)})],
      transactions: [createTransaction(1), createTransaction(7, 'COMPLETED', {quoteId: 'quote_1', correlationId: ''})],
    })
    expect([...books.completed].map((payment) => payment.transactionId)).toEqual([transactionId(1), transactionId(7)])
    expect(findBooksProblem(books)?.message).toContain('1 payment with several transactions')
  })

  it('mark a paid account from which payments were made as own, also by payments of another time', async () => {
    const content = createPayment(2).content
    const source = {...content.source, sourcePaymentAccountId: 'bank_1'}
    const books = await buildBooks({
      payments: [createPayment(1), createPayment(2, 'CREATED', {content: {...content, source}})],
      transactions: [createTransaction(1), createTransaction(2, 'COMPLETED', {updatedAt: '2026-10-01T00:00:00Z'})],
      period: november,
    })
    expect(books.completed.map(({destination}) => destination)).toMatchObject([{accountId: 'bank_1', isOwn: true}])
  })

  it('post no payment of which a figure is missing, and name it', async () => {
    const books = await buildBooks({
      payments: [createPayment(1)],
      transactions: [createTransaction(1, 'COMPLETED', {destination: {}, fees: null})],
    })
    expect(books.completed).toEqual([])
    expect([...books.omitted]).toMatchObject([{kind: 'UNREADABLE', detail: 'destinationAmount is missing'}])
  })

  it('keep every digit of amounts that the service sends as numbers', async () => {
    const amount = JSON.rawJSON('100.123456789012345678')
    const source = {...(createTransaction(1)['source'] as object), sourceAmount: amount}
    const books = await buildBooks({
      payments: [createPayment(1)],
      transactions: [createTransaction(1, 'COMPLETED', {source})],
    })
    expect([...books.completed][0]?.source.amount).toBe('100.123456789012345678')
  })

  it('are of one customer, or of all, under every id that the service had', async () => {
    const other = '00000000-0000-4000-8000-000000000002'
    const payments = [
      createPayment(1),
      createPayment(2, 'CREATED', {content: {...createPayment(2).content, customerId: other}}),
      createPayment(3, 'CREATED', {serviceId: 'former'}),
    ]
    const transactions = [1, 2, 3].map((number) => createTransaction(number))
    const all = await buildBooks({payments, transactions})
    expect(listKeys(all.completed)).toEqual(['pay-1', 'pay-2', 'pay-3'])
    const one = await buildBooks({payments, transactions, customerId: customerId.toUpperCase()})
    expect(listKeys(one.completed)).toEqual(['pay-1', 'pay-3'])
  })
})

describe.each(useStores())('the books of a journal in $name', (store) => {
  it('have every payment of the service', async () => {
    const journal = await (await store.create()).open()
    const {content} = createPayment(1)
    for (const key of ['pay-2', 'pay-1', 'Pay-3']) {
      const {lease: held, payment} = await lease(journal, {serviceId, key, content})
      const number = Number(key.at(-1))
      const made = {...payment, state: 'CREATED' as const, transactionId: transactionId(number)}
      await journal.commit(held, made, {what: 'CREATED'})
    }
    await recordIntent(journal, {serviceId: 'other', key: 'pay-9', content})
    const walked = await Array.fromAsync(walkPayments(journal, {serviceId}))
    expect(new Set(listKeys(walked.flat()))).toEqual(new Set(['Pay-3', 'pay-1', 'pay-2']))
    const transactions = [1, 2, 3].map((number) => createTransaction(number))
    const books = await buildBooks({payments: [], transactions, journal})
    expect(books.completed).toHaveLength(3)
  })
})

describe('a period', () => {
  it('is a month of UTC, or has an end after its start', () => {
    expect(parseMonth('2026-12')).toEqual({sinceMs: Date.UTC(2026, 11), untilMs: Date.UTC(2027, 0)})
    for (const wrong of ['2026-13', '2026-1', '2026-00', 'november']) {
      expect(() => parseMonth(wrong)).toThrow('is not a month')
    }
    expect(() => createPeriod({since: 2_000, until: 2_000})).toThrow('is not after')
  })
})
