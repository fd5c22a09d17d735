// The history in an SQLite journal: what happened to each payment, and what people decided. It is one hash chain.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import {digestSubject, digestText, fileChain, hashEntry} from '../chain.ts'
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
}

const insert =
  'insert into history (seq, serviceId, key, at, what, detail, evidence, payment, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?)'

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
  // Several lines of a payment are often written together.
  #lastSubject = {serviceId: '', key: '', digest: digestSubject('', '')}

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  // With the payment as it is written with this entry, if it is.
  append({serviceId, key, at, entry}: NewEntry, paymentText?: string): void {
    const {what} = entry
    const detail = entry.detail ? JSON.stringify(entry.detail) : null
    const evidence = entry.evidence ? JSON.stringify(entry.evidence) : null
    const payment = paymentText === undefined ? null : digestText(paymentText)
    const before = this.end ?? this.#readEnd()
    const number = before.number + 1
    const line = {chain: fileChain, number, at, serviceId, key, what, detail, evidence, payment}
    const hash = hashEntry(before.hash, line, this.#digestSubject(serviceId, key))
    this.#connection.prepare(insert).run(number, serviceId, key, at, what, detail, evidence, payment, hash)
    this.end = {number, hash}
  }

  // Has to be called before a transaction is committed.
  writeEnd(): void {
    if (!this.end) return
    const {number, hash} = this.end
    this.end = undefined
    this.#connection.prepare('update chains set number = ?, hash = ? where chain = ?').run(number, hash, fileChain)
  }

  #digestSubject(serviceId: string, key: string): string {
    const last = this.#lastSubject
    if (last.serviceId !== serviceId || last.key !== key) {
      this.#lastSubject = {serviceId, key, digest: digestSubject(serviceId, key)}
    }
    return this.#lastSubject.digest
  }

  #readEnd(): ChainEnd {
    const row = this.#connection.prepare('select number, hash from chains where chain = ?').get(fileChain)
    return {number: Number(row?.['number']), hash: String(row?.['hash'])}
  }
}
