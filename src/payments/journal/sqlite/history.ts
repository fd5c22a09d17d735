// The history in an SQLite journal: what happened to each payment, and what people decided.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
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

export function insertHistory(
  connection: SqliteConnection,
  serviceId: string,
  key: string,
  at: number,
  {what, detail}: Entry,
): void {
  connection
    .prepare('insert into history (serviceId, key, at, what, detail) values (?, ?, ?, ?, ?)')
    .run(serviceId, key, at, what, detail ? JSON.stringify(detail) : null)
}
