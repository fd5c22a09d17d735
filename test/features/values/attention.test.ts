// What needs a person: every state and status, new and old, dealt with and not.
import {describe, expect, it} from 'vitest'
import {customerStatuses} from '../../../src/contract/vocabulary.ts'
import {type Attention, findAttention} from '../../../src/values/attention.ts'
import {dayMs, minuteMs} from '../../../src/values/time.ts'

const nowMs = Date.UTC(2026, 10, 18, 12)
const toText = (ageMs: number) => new Date(nowMs - ageMs).toISOString()
const [now, minutesAgo, weeksAgo] = [toText(0), toText(5 * minuteMs), toText(14 * dayMs)]

interface Reads {
  payments?: Array<{state: string; updatedAt: string; slot?: string; isUnderWay?: boolean}>
  transactions?: Array<{transactionId: string; transactionStatus: string; updatedAt: string}>
  customers?: Array<{customerStatus: string; updatedAt: string}>
  dealtWith?: string[]
}

// The kinds in which the reads are found.
function listKinds({payments = [], transactions = [], customers = [], dealtWith = []}: Reads): string[] {
  const reads = {payments, transactions, customers, dealtWith: new Set(dealtWith)}
  const found: Attention<unknown, unknown, unknown> = findAttention(reads, {journalMs: nowMs, serviceMs: nowMs})
  return Object.entries(found).flatMap(([kind, items]: [string, unknown[]]) => items.map(() => kind))
}

describe('a payment needs a person', () => {
  const begun = new Set(['INTENDED', 'QUOTED', 'ARMED'])
  const unknown = new Set(['UNKNOWN', 'ARMED'])
  it.each(['INTENDED', 'QUOTED', 'ARMED', 'UNKNOWN', 'REJECTED', 'STOPPED', 'ABANDONED', 'CREATED'])(
    'while it is %s: at once unless it is under way, and an unknown one until it is known',
    (state) => {
      const isNeeded = !['ABANDONED', 'CREATED'].includes(state)
      const kind = unknown.has(state) ? 'unknownPayments' : 'failedPayments'
      const find = (updatedAt: string, isUnderWay = false) => listKinds({payments: [{state, updatedAt, isUnderWay}]})
      for (const updatedAt of [now, minutesAgo]) expect(find(updatedAt)).toEqual(isNeeded ? [kind] : [])
      expect(find(weeksAgo)).toEqual(unknown.has(state) ? [kind] : [])
      if (begun.has(state)) expect(find(now, true)).toEqual(['paymentsUnderWay'])
      else expect(find(now, true)).toEqual(find(now))
    },
  )

  it.each([
    ['2026-11-18', ['failedPayments']],
    ['2026-11', ['failedPayments']],
    ['2026-12-01', []],
    ['2026-12', []],
  ])('that was stopped for the slot %s only once it has come', (slot, kinds) => {
    expect(listKinds({payments: [{state: 'STOPPED', updatedAt: minutesAgo, slot}]})).toEqual(kinds)
  })
})

const bad = new Set(['FAILED', 'CANCELLED', 'EXPIRED'])
it.each(['AWAITING_TRANSFER', 'CREATED', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED', 'NEW_ONE'])(
  'a transaction needs a person that is %s: if it ended badly, until somebody has dealt with it',
  (status) => {
    const find = (updatedAt: string, dealtWith: string[] = []) =>
      listKinds({transactions: [{transactionId: 't1', transactionStatus: status, updatedAt}], dealtWith})
    const waiting = status === 'AWAITING_TRANSFER' ? ['awaitingTransfers'] : []
    expect(find(minutesAgo)).toEqual(bad.has(status) ? ['failedTransactions'] : waiting)
    expect(find(weeksAgo)).toEqual(waiting)
    expect(find(minutesAgo, ['t1'])).toEqual(waiting)
    expect(find(minutesAgo, ['t2'])).toEqual(find(minutesAgo))
  },
)

it.each(customerStatuses)('a customer needs a person who is %s: to be corrected, or refused lately', (status) => {
  const find = (updatedAt: string) => listKinds({customers: [{customerStatus: status, updatedAt}]})
  const waiting = status === 'NEEDS_ADDITIONAL_INFORMATION' ? ['corrections'] : []
  expect(find(minutesAgo)).toEqual(status === 'REJECTED' ? ['rejectedCustomers'] : waiting)
  expect(find(weeksAgo)).toEqual(waiting)
})
