// Reads payments from an SQLite journal.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Payment} from '../../protocol/payment.ts'
import type {PaymentFilter} from '../journal.ts'
import {compareNewestFirst} from '../newest-first.ts'
import {buildListQuery, selectServices} from './list-query.ts'
import {toPayment} from './write-payment.ts'

export const readPayments = (
  connection: SqliteConnection,
  sql: string,
  values: Record<string, string | number>,
): Payment[] => connection.prepare(sql).all(values).map(toPayment)

export function listPayments(connection: SqliteConnection, filter: PaymentFilter): Payment[] {
  const {serviceId, newestCount, lastSlots} = filter
  if (serviceId !== undefined || newestCount === undefined || lastSlots !== undefined) {
    return readPayments(connection, ...buildListQuery(filter))
  }
  // The newest of each service are found by the index, and the newest of those are the newest of all.
  return connection
    .all<{id: string}>(selectServices)
    .flatMap(({id}) => readPayments(connection, ...buildListQuery({...filter, serviceId: id})))
    .toSorted(compareNewestFirst)
    .slice(0, newestCount)
}
