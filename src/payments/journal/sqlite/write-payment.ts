// Writes a payment to its row in an SQLite journal, and reads it back. Most changes leave the indexed values as they are, and an
// update that does not mention them leaves the indexes alone.
import type {SQLInputValue} from 'node:sqlite'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Payment} from '../../payment.ts'
import type {Lease} from '../journal.ts'
import {getSpentAt, readPaymentText, toColumnValues, toPaymentText} from '../payment-text.ts'

export const paymentColumns = 'payment, createdAt, updatedAt'

export const toPayment = ({payment, createdAt, updatedAt}: Record<string, unknown>): Payment =>
  readPaymentText(String(payment), Number(createdAt), Number(updatedAt))

const insert = `insert into payments (serviceId, key, template, slot, state, currency, amount, destination, createdAt, updatedAt, payment)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Returns the text that was written.
export function insertPayment(connection: SqliteConnection, payment: Payment): string {
  const {serviceId, key, template, slot, state, createdAt, updatedAt} = payment
  const {currency, amount, destination} = toColumnValues(payment)
  const text = toPaymentText(payment)
  const names = [serviceId, key, template ?? null, slot ?? null]
  connection.prepare(insert).run(...names, state, currency, amount, destination, createdAt, updatedAt, text)
  return text
}

const update = `update payments set state = ?, payment = ?, transactionId = ?, updatedAt = ?, renewedAt = ?,
  owner = iif(?5 is null, null, owner)`
const own = 'where serviceId = ? and key = ? and epoch = ?'
const updateSame = `${update} ${own} and currency = ? and amount = ? and destination = ? and spentAt is ?`
const updateAll = `${update}, currency = ?, amount = ?, destination = ?, spentAt = ? ${own}`

// Returns the text that was written, or undefined if the lease is not held any more. Without a time of renewal it ends the lease.
export function updatePayment(
  connection: SqliteConnection,
  {serviceId, key, epoch}: Lease,
  payment: Payment,
  renewedAt: number | null,
): string | undefined {
  const text = toPaymentText(payment)
  const {currency, amount, destination} = toColumnValues(payment)
  const values = [payment.state, text, payment.transactionId ?? null, payment.updatedAt, renewedAt]
  const row = [serviceId, key, epoch]
  const indexedValues = [currency, amount, destination, getSpentAt(payment)]
  const run = (sql: string, parameters: SQLInputValue[]) => connection.prepare(sql).run(...parameters).changes !== 0
  // Arming sets when the money was spent.
  if (payment.state !== 'ARMED' && run(updateSame, [...values, ...row, ...indexedValues])) return text
  return run(updateAll, [...values, ...indexedValues, ...row]) ? text : undefined
}
