// An SQLite journal finds its rows by an index, so that it takes as long with a million payments.
import {toPayeeSubject} from '../../../src/controls/new-payees.ts'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {PaymentFilter} from '../../../src/payments/journal/journal.ts'
import {type Read, Reads} from '../../../src/payments/journal/reads.ts'
import {
  bindValues,
  journalSchema,
  sqliteDialect,
  toPlaces,
} from '../../../src/payments/journal/sqlite/sqlite-journal.ts'
import {notMadeStates, unsettledStates} from '../../../src/payments/protocol/payment.ts'

const serviceId = 'https://api.example.com'
const reads = new Reads(sqliteDialect)

// The steps of the plan that touch the tables.
function explain({text, values}: Read): string[] {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec(journalSchema)
  return database
    .prepare(`explain query plan ${toPlaces(text)}`)
    .all(...bindValues(values))
    .map(({detail}) => String(detail))
    .filter((detail) => / (?:payments|history)(?: |$)/.test(detail))
}

const after = {createdAt: 1_000, key: 'rent'}

describe('a list of an SQLite journal', () => {
  const cells: Array<[Omit<PaymentFilter, 'serviceId'>, RegExp]> = [
    [{newestCount: 20}, /payments_by_time \(service_id=\?\)/],
    [{newestCount: 20, after}, /payments_by_time \(service_id=\? AND \(created_at,key\)<\(\?,\?\)\)/],
    [{sinceMs: 1_000}, /payments_by_time \(service_id=\? AND created_at>\?\)/],
    [{states: ['CREATED'], newestCount: 20}, /payments_by_time \(service_id=\?\)/],
    [{states: unsettledStates}, /payments_unsettled \(service_id=\?\)/],
    [{states: ['UNKNOWN'], newestCount: 20, after}, /payments_unsettled \(service_id=\?/],
    [{states: notMadeStates, newestCount: 20, after}, /payments_not_made \(service_id=\?/],
    [{states: ['REJECTED', 'STOPPED'], sinceMs: 1_000}, /payments_not_made \(service_id=\? AND created_at>\?\)/],
    [{transactionIds: ['tx'], states: ['CREATED']}, /payments_by_transaction \(service_id=\? AND transaction_id=\?\)/],
    [{transactionIds: ['tx'], newestCount: 1}, /payments_by_transaction \(service_id=\? AND transaction_id=\?\)/],
  ]

  it.each(cells)('finds %o by an index', (filter, index) => {
    const steps = explain(reads.list({...filter, serviceId}))
    expect(steps).toEqual([expect.stringMatching(index)])
  })

  const paid = {serviceId, destination: 'bank', currency: 'USDC', sinceMs: 1_000}
  const searches: Array<[string, Read, string]> = [
    [
      'what was spent',
      reads.spent(serviceId, ['rent'], {currency: 'USDC', sinceMs: 1_000}),
      'SEARCH payments USING INDEX payments_by_spending (service_id=? AND currency=? AND spent_at>?)',
    ],
    [
      'who was paid',
      reads.paidPayees(serviceId, ['bank']),
      'SEARCH payments USING INDEX payments_by_destination (service_id=? AND destination=?)',
    ],
    [
      'what was paid to an account',
      reads.paidTo([paid]),
      'SEARCH payments USING INDEX payments_by_destination (service_id=? AND destination=? AND currency=?)',
    ],
    [
      'who was paid the same',
      reads.paidTo([{...paid, amount: '5.00'}]),
      'SEARCH payments USING INDEX payments_by_destination (service_id=? AND destination=? AND currency=? AND amount=? AND spent_at>?)',
    ],
    [
      'when an account was first seen',
      reads.decisionsAbout([toPayeeSubject('bank')]),
      'SEARCH history USING INDEX history_by_key (key=? AND service_id=?)',
    ],
    ['what people decided', reads.decisions(), 'SCAN history USING INDEX history_decisions'],
  ]

  it.each(searches)('finds %s by an index', (_, read, step) => {
    expect(explain(read)).toEqual([step])
  })
})
