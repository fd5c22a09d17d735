// Writes reservations to an SQLite journal: money that may be spent without a payment of its own.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Reservation} from '../journal.ts'

export function insertReservation(
  connection: SqliteConnection,
  {serviceId, id, currency, amount}: Reservation,
  nowMs: number,
): void {
  connection.run(
    'insert or replace into reservations (serviceId, id, currency, amount, spentAt) values (?, ?, ?, ?, ?)',
    serviceId,
    id,
    currency.toUpperCase(),
    amount,
    nowMs,
  )
}

export function deleteReservation(connection: SqliteConnection, serviceId: string, id: string): void {
  connection.run('delete from reservations where serviceId = ? and id = ?', serviceId, id)
}
