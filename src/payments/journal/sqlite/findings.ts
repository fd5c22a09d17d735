// What an SQLite journal finds for the check of a commit, in its transaction: what was spent, and payments with the same key.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Payment} from '../../protocol/payment.ts'
import type {CommitCheck, CommitFindings, Lease} from '../journal.ts'
import {hasOtherServices, selectElsewhere} from './list-query.ts'
import {readPayments} from './read-payments.ts'
import {selectSpentAmounts} from './spent-amounts.ts'

// Most journals have one service alone.
export function findElsewhere(connection: SqliteConnection, serviceId: string, key: string): Payment[] {
  if (!connection.prepare(hasOtherServices).get({serviceId})?.['found']) return []
  return readPayments(connection, selectElsewhere, {key, serviceId})
}

export function readSpentAmounts(
  connection: SqliteConnection,
  {serviceId, key}: Pick<Lease, 'serviceId' | 'key'>,
  {spending, otherIds = []}: Pick<CommitCheck, 'spending' | 'otherIds'>,
): string[] {
  if (!spending) return []
  return [serviceId, ...otherIds].flatMap((id) => selectSpentAmounts(connection, {serviceId: id, key}, spending))
}

export function readFindings(connection: SqliteConnection, lease: Lease, check: CommitCheck): CommitFindings {
  const others = findElsewhere(connection, lease.serviceId, lease.key)
  const isOtherId = ({serviceId}: Payment) => check.otherIds?.includes(serviceId) === true
  return {
    spentAmounts: readSpentAmounts(connection, lease, check),
    underOtherIds: others.filter(isOtherId),
    elsewhere: others.filter((payment) => !isOtherId(payment)),
  }
}
