// Writes a payment to its row in an SQLite journal, and reads it back. Most changes leave the indexed values as they are, and an
// update that does not mention them leaves the indexes alone.
import type {SQLInputValue} from 'node:sqlite'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {LeaseOwner} from '../../protocol/lease-owner.ts'
import type {Payment} from '../../protocol/payment.ts'
import type {Lease} from '../journal.ts'
import type {NewEntry} from './history.ts'
import {getSpentAt, readPaymentText, toColumnValues} from '../payment-text.ts'

// A payment as it is written, with a line of its history.
export interface Change {
  payment: Payment
  line: NewEntry
}

// A payment that is not in the file yet, and what its history begins with.
export interface NewPayment {
  payment: Payment
  // The last one is of the payment as it is.
  lines: NewEntry[]
}

export const paymentColumns = 'payment, createdAt, updatedAt'

export const toPayment = ({payment, createdAt, updatedAt}: Record<string, unknown>): Payment =>
  readPaymentText(String(payment), Number(createdAt), Number(updatedAt))

const insert = `insert into payments (serviceId, key, template, slot, state, currency, amount, destination, transactionId, spentAt,
    createdAt, updatedAt, payment, epoch, owner, renewedAt)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`

// Who works on a payment that is written for the first time.
export interface FirstLease {
  epoch: number
  owner: LeaseOwner | null
}

// Returns false if there is a payment with this key already.
export function insertPayment(
  connection: SqliteConnection,
  payment: Payment,
  text: string,
  {epoch, owner}: FirstLease = {epoch: 0, owner: null},
): boolean {
  const {serviceId, key, template, slot, state, transactionId, createdAt, updatedAt} = payment
  const {currency, amount, destination} = toColumnValues(payment)
  const names = [serviceId, key, template ?? null, slot ?? null]
  const searchValues = [state, currency, amount, destination, transactionId ?? null, getSpentAt(payment)]
  const lease = owner ? [epoch, JSON.stringify(owner), updatedAt] : [epoch, null, null]
  return connection.prepare(insert).run(...names, ...searchValues, createdAt, updatedAt, text, ...lease).changes !== 0
}

const update = `update payments set state = ?, payment = ?, transactionId = ?, updatedAt = ?, renewedAt = ?,
  owner = iif(?5 is null, null, owner)`
const own = 'where serviceId = ? and key = ? and epoch = ?'
const updateSame = `${update} ${own} and currency = ? and amount = ? and destination = ? and spentAt is ?`
const updateAll = `${update}, currency = ?, amount = ?, destination = ?, spentAt = ? ${own}`

// Returns false if the lease is not held any more. Without a time of renewal it ends the lease.
export function updatePayment(
  connection: SqliteConnection,
  {serviceId, key, epoch}: Lease,
  payment: Payment,
  text: string,
  renewedAt: number | null,
): boolean {
  const {currency, amount, destination} = toColumnValues(payment)
  const values = [payment.state, text, payment.transactionId ?? null, payment.updatedAt, renewedAt]
  const row = [serviceId, key, epoch]
  const indexedValues = [currency, amount, destination, getSpentAt(payment)]
  const run = (sql: string, parameters: SQLInputValue[]) => connection.prepare(sql).run(...parameters).changes !== 0
  // Arming sets when the money was spent.
  if (payment.state !== 'ARMED' && run(updateSame, [...values, ...row, ...indexedValues])) return true
  return run(updateAll, [...values, ...indexedValues, ...row])
}
