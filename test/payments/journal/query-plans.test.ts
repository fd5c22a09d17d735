// The lists of an SQLite journal find their rows by an index, so that they take as long with a million payments.
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {PaymentFilter} from '../../../src/payments/journal/journal.ts'
import {buildListQuery, selectServices, selectSpent} from '../../../src/payments/journal/sqlite/queries.ts'
import {journalSchema} from '../../../src/payments/journal/sqlite/file.ts'
import {notMadeStates, unsettledStates} from '../../../src/payments/protocol/payment.ts'

const serviceId = 'https://api.example.com'

// The steps of the plan that touch payments.
function explain(sql: string, values: Record<string, string | number> | Array<string | number>): string[] {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec(journalSchema)
  const statement = database.prepare(`explain query plan ${sql}`)
  return (Array.isArray(values) ? statement.all(...values) : statement.all(values))
    .map(({detail}) => String(detail))
    .filter((detail) => / payments /.test(detail))
}

const after = {createdAt: 1_000, key: 'rent', serviceId}

describe('a list of an SQLite journal', () => {
  const cells: Array<[PaymentFilter, RegExp]> = [
    [{newestCount: 20}, /paymentsByTime \(serviceId=\?\)/],
    [{newestCount: 20, after}, /paymentsByTime \(serviceId=\? AND \(createdAt,key\)<\(\?,\?\)\)/],
    [{sinceMs: 1_000}, /paymentsByTime \(serviceId=\? AND createdAt>\?\)/],
    [{states: ['CREATED'], newestCount: 20}, /paymentsByTime \(serviceId=\?\)/],
    [{states: unsettledStates}, /paymentsUnsettled \(serviceId=\?\)/],
    [{states: ['UNKNOWN'], newestCount: 20, after}, /paymentsUnsettled \(serviceId=\?/],
    [{states: notMadeStates, newestCount: 20, after}, /paymentsNotMade \(serviceId=\?/],
    [{states: ['REJECTED', 'STOPPED'], sinceMs: 1_000}, /paymentsNotMade \(serviceId=\? AND createdAt>\?\)/],
    [{transactionIds: ['tx'], states: ['CREATED']}, /paymentsByTransaction \(serviceId=\? AND transactionId=\?\)/],
    [{transactionIds: ['tx'], newestCount: 1}, /paymentsByTransaction \(serviceId=\? AND transactionId=\?\)/],
    [
      {template: 't', lastSlots: {before: '2026', count: 3}, states: ['CREATED']},
      /paymentsByTemplate \(serviceId=\? AND template=\? AND slot<\?\)/,
    ],
  ]

  it.each(cells)('finds %o by an index', (filter, index) => {
    const steps = explain(...buildListQuery({...filter, serviceId}))
    expect(steps).toEqual([expect.stringMatching(index)])
  })

  it('finds what was spent by its currency and time', () => {
    const values = {serviceId, key: 'rent', currency: 'USDC', sinceMs: 1_000, states: '["CREATED"]'}
    const byTime = /^SEARCH payments USING INDEX paymentsBySpending \(serviceId=\? AND currency=\? AND spentAt>\?\)$/
    expect(explain(selectSpent, values)).toEqual([expect.stringMatching(byTime), expect.stringMatching(byTime)])
  })

  it('finds the services by a step for each', () => {
    expect(explain(selectServices, {}).filter((step) => !step.includes('COVERING INDEX'))).toEqual([])
  })
})
