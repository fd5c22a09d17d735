// Writes a payment to its row in an SQLite journal, and reads it back. Most changes leave the indexed values as they are, and an
// update that does not mention them leaves the indexes alone.
import type {SQLInputValue} from 'node:sqlite'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Payment} from '../../protocol/payment.ts'
import {digestText, fileChain, hashEntry} from '../chain.ts'
import {
  type DecisionEntry,
  type Entry,
  type HistoryEntry,
  type Lease,
  type LeaseOwner,
  decided,
  getSpentAt,
  hasEnded,
  readPaymentText,
  toColumnValues,
  readDetail,
} from '../journal.ts'

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

// The history in an SQLite journal: what happened to each payment, and what people decided. It is one hash chain.
const toHistoryEntry = ({at, what, detail}: Record<string, unknown>): HistoryEntry => ({
  at: Number(at),
  what: String(what),
  ...(typeof detail === 'string' && {detail: readDetail(detail)}),
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

interface NewEntry {
  serviceId: string
  key: string
  at: number
  entry: Entry
}

const insertLine =
  'insert into history (seq, serviceId, key, at, what, detail, payment, hash) values (?, ?, ?, ?, ?, ?, ?, ?)'

interface ChainEnd {
  number: number
  hash: string
}

// Appends to the history. The transaction holds the write lock, so no other process appends meanwhile: the end of the chain is
// read once in it, and written once before it is committed.
export class HistoryWriter {
  readonly #connection: SqliteConnection
  // Undefined until something is appended in the present transaction.
  end: ChainEnd | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  // With the payment as it is written with this entry, if it is.
  append({serviceId, key, at, entry}: NewEntry, paymentText?: string): void {
    const {what} = entry
    const detail = entry.detail ? JSON.stringify(entry.detail) : null
    const payment = paymentText === undefined ? null : digestText(paymentText)
    const before = this.end ?? this.#readEnd()
    const number = before.number + 1
    const line = {chain: fileChain, number, at, serviceId, key, what, detail, payment}
    const hash = hashEntry(before.hash, line)
    this.#connection.prepare(insertLine).run(number, serviceId, key, at, what, detail, payment, hash)
    this.end = {number, hash}
  }

  // Has to be called before a transaction is committed.
  writeEnd(): void {
    if (!this.end) return
    const {number, hash} = this.end
    this.end = undefined
    this.#connection.prepare('update chains set number = ?, hash = ? where chain = ?').run(number, hash, fileChain)
  }

  #readEnd(): ChainEnd {
    const row = this.#connection.prepare('select number, hash from chains where chain = ?').get(fileChain)
    return {number: Number(row?.['number']), hash: String(row?.['hash'])}
  }
}

// Reads a payment of an SQLite journal with its lease, and says whether another process may take the lease over.

// A lease that is not renewed for this long expires.
const leaseTimeoutMs = 120_000

interface LeaseRow extends Record<string, unknown> {
  epoch: number
  owner: string | null
  renewedAt: number | null
}

export function findLeaseRow(connection: SqliteConnection, serviceId: string, key: string): LeaseRow | undefined {
  const sql = `select ${paymentColumns}, epoch, owner, renewedAt from payments where serviceId = ? and key = ?`
  return connection.prepare(sql).get(serviceId, key) as LeaseRow | undefined
}

// Undefined if the lease is held by another process now.
export function readRenewedAt(connection: SqliteConnection, {serviceId, key, epoch}: Lease): number | undefined {
  const sql = 'select renewedAt from payments where serviceId = ? and key = ? and epoch = ?'
  const row = connection.prepare(sql).get(serviceId, key, epoch)
  return row && Number(row['renewedAt'] ?? 0)
}

// The process of the holder has ended, or the lease has expired.
export const isLeaseFree = (holder: LeaseOwner, renewedAt: number, nowMs: number): boolean =>
  hasEnded(holder) || nowMs - renewedAt > leaseTimeoutMs
