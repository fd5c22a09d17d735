// A journal finds its rows by an index, so that it takes as long with a million payments.
import {toPayeeSubject} from '../../../src/controls/new-payees.ts'
import {DatabaseSync} from 'node:sqlite'
import {Client} from 'pg'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {PaymentFilter} from '../../../src/payments/journal/journal.ts'
import {type Read, Reads} from '../../../src/payments/journal/reads.ts'
import {
  bindValues,
  journalSchema,
  sqliteDialect,
  toPlaces,
} from '../../../src/payments/journal/sqlite/sqlite-journal.ts'
import {postgresDialect} from '../../../src/payments/journal/postgres/postgres-journal.ts'
import {notMadeStates, unsettledStates} from '../../../src/payments/protocol/payment.ts'
import {usePostgres} from '../../support/postgres.ts'
import {prepareDatabase} from './stores.ts'

const serviceId = 'https://api.example.com'
const reads = new Reads(sqliteDialect)

// The steps of the plan that touch the tables.
function explain({text, values}: Read): string[] {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec(journalSchema)
  database.function('journal_now', () => 0)
  return database
    .prepare(`explain query plan ${toPlaces(text)}`)
    .all(...bindValues(values))
    .map(({detail}) => String(detail))
    .filter((detail) => / (?:payments|history|spending|p)(?: |$)/.test(detail))
}

// What one payment has spent, and where it will have spent.
const sums = (from: Reads) =>
  from.spentBy([{serviceId, key: 'rent', chain: 1}], [{serviceId, currency: 'USDC', day: 1, chain: 1}])

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
      'what was spent on a day',
      reads.spent([{serviceId, currency: 'USDC', day: 1}]),
      'SEARCH spending USING PRIMARY KEY (service_id=? AND currency=? AND day>?)',
    ],
    ['a payment', reads.payments(['rent']), 'SEARCH payments USING INDEX sqlite_autoindex_payments_1 (key=?)'],
    [
      'who works on a payment',
      reads.holders(serviceId, ['rent']),
      'SEARCH payments USING INDEX sqlite_autoindex_payments_1 (key=? AND service_id=?)',
    ],
    [
      'who has a transaction',
      reads.owners([serviceId], ['tx']),
      'SEARCH payments USING INDEX payments_by_transaction (service_id=? AND transaction_id=?)',
    ],
    [
      'whether a policy has changed',
      reads.policyMark(),
      'SEARCH history USING COVERING INDEX history_by_key (key=? AND service_id=?)',
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

  it('finds the sums that a payment changes by an index', () => {
    expect(explain(sums(reads))).toEqual([
      'SEARCH p USING INDEX sqlite_autoindex_payments_1 (key=? AND service_id=?)',
      'SEARCH spending USING PRIMARY KEY (service_id=? AND currency=? AND day=? AND chain=?)',
    ])
  })
})

describe('a PostgreSQL journal', () => {
  const getAddress = usePostgres(prepareDatabase)
  const paid = {serviceId, destination: 'bank', currency: 'USDC', sinceMs: 1_000}
  const from = new Reads(postgresDialect)
  const searches: Array<[string, Read]> = [
    ['a payment', from.payments(['rent'])],
    ['who works on a payment', from.holders(serviceId, ['rent'])],
    ['who has a transaction', from.owners([serviceId], ['tx'])],
    ['whether a policy has changed', from.policyMark()],
    ['what was spent on a day', from.spent([{serviceId, currency: 'USDC', day: 1}])],
    ['the sums that a payment changes', sums(from)],
    ['who was paid', from.paidPayees(serviceId, ['bank'])],
    ['what was paid to an account', from.paidTo([paid])],
    ['who was paid the same', from.paidTo([{...paid, amount: '5.00'}])],
    ['when an account was first seen', from.decisionsAbout([toPayeeSubject('bank')])],
    ['what people decided', from.decisions()],
    ['the end of a chain', from.heads([1])],
    ...[{newestCount: 20, after}, {states: unsettledStates}, {states: notMadeStates}, {transactionIds: ['tx']}].map(
      (filter): [string, Read] => [`a list ${JSON.stringify(filter)}`, from.list({...filter, serviceId})],
    ),
  ]

  // Empty tables would be read whole, which is quicker, so that is made to look dear.
  it.each(searches)('finds %s by an index', async (_, {text, values}) => {
    const client = new Client({connectionString: getAddress()})
    await client.connect()
    try {
      await client.query('set enable_seqscan = off')
      const {rows} = await client.query<{'QUERY PLAN': string}>(`explain ${text}`, [...values])
      const plan = rows.map((row) => row['QUERY PLAN'])
      expect(plan.filter((step) => /Seq Scan on/.test(step))).toEqual([])
      expect(plan.join(' ')).toMatch(/Index/)
    } finally {
      await client.end()
    }
  })
})
