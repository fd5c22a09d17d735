// The history in an SQLite journal: what happened to each payment, and what people decided. It is one hash chain.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import {digestText, fileChain, hashEntry} from '../chain.ts'
import {decided} from '../decision.ts'
import type {DecisionEntry, Entry, HistoryEntry} from '../journal.ts'

const toHistoryEntry = ({at, what, detail}: Record<string, unknown>): HistoryEntry => ({
  at: Number(at),
  what: String(what),
  ...(typeof detail === 'string' && {detail: JSON.parse(detail) as NonNullable<Entry['detail']>}),
})

export const selectHistory = (connection: SqliteConnection, serviceId: string, key: string): HistoryEntry[] =>
  connection
    .prepare('select at, what, detail from history where serviceId = ? and key = ? order by seq')
    .all(serviceId, key)
    .map(toHistoryEntry)

export const selectDecisions = (connection: SqliteConnection): DecisionEntry[] =>
  connection
    .prepare('select serviceId, key, at, what, detail from history where what = ? order by seq')
    .all(decided)
    .map((row) => ({
      ...toHistoryEntry(row),
      ...(row['key'] !== '' && {serviceId: String(row['serviceId']), key: String(row['key'])}),
    }))

export interface NewEntry {
  serviceId: string
  key: string
  at: number
  entry: Entry
  // The payment as it was written with this entry.
  paymentText?: string | undefined
}

const insert =
  'insert into history (seq, serviceId, key, at, what, detail, evidence, payment, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?)'

// The transaction holds the write lock, so that no other process takes the same number.
export function appendHistory(connection: SqliteConnection, {serviceId, key, at, entry, paymentText}: NewEntry): void {
  const {what} = entry
  const detail = entry.detail ? JSON.stringify(entry.detail) : null
  const evidence = entry.evidence ? JSON.stringify(entry.evidence) : null
  const payment = paymentText === undefined ? null : digestText(paymentText)
  const head = connection.prepare('select number, hash from chains where chain = ?').get(fileChain)
  const number = Number(head?.['number']) + 1
  const line = {chain: fileChain, number, at, serviceId, key, what, detail, evidence, payment}
  const hash = hashEntry(String(head?.['hash']), line)
  connection.prepare(insert).run(number, serviceId, key, at, what, detail, evidence, payment, hash)
  connection.prepare('update chains set number = ?, hash = ? where chain = ?').run(number, hash, fileChain)
}
