// Keeps what a comparison has read out of memory: in a temporary database that has no name, and is gone when it is closed or the
// process ends. It has ids, states, times and amounts alone.
import {DatabaseSync} from 'node:sqlite'
import type {LooseTransaction} from '../../contract/loose.ts'
import {parseJson} from '../../values/json.ts'
import {keepNeededFields} from '../protocol/needed-fields.ts'
import type {Payment} from '../protocol/payment.ts'

// An array, or payments that are read when they are asked for.
export interface PaymentList extends Iterable<Payment> {
  readonly length: number
  at(index: number): Payment | undefined
}

const settings = 'pragma journal_mode = off; pragma synchronous = off'
const tables = `
create table pages (number integer primary key, text text not null) strict;
create table payments (number integer primary key, text text not null) strict`

export class ComparisonStore {
  readonly #database = new DatabaseSync('')
  readonly #insertPage
  readonly #selectPage
  readonly #writePayment
  readonly #selectPayment
  #pages = 0

  constructor() {
    this.#database.exec(`${settings}; ${tables}; begin`)
    this.#insertPage = this.#database.prepare('insert into pages values (?, ?)')
    this.#selectPage = this.#database.prepare('select text from pages where number = ?')
    this.#writePayment = this.#database.prepare('insert or replace into payments values (?, ?)')
    this.#selectPayment = this.#database.prepare('select text from payments where number = ?')
  }

  addTransactions(page: readonly LooseTransaction[]): void {
    this.#insertPage.run(this.#pages++, JSON.stringify(page.map(keepNeededFields)))
  }

  // In the order in which they were added. Each loop begins anew.
  get transactions(): Iterable<LooseTransaction> {
    return {[Symbol.iterator]: () => this.#readTransactions()}
  }

  *#readTransactions(): Generator<LooseTransaction> {
    for (let number = 0; number < this.#pages; number++) {
      yield* parseJson(String(this.#selectPage.get(number)?.['text'])) as LooseTransaction[]
    }
  }

  writePayment(number: number, payment: Payment): void {
    this.#writePayment.run(number, JSON.stringify(payment))
  }

  readPayment(number: number): Payment | undefined {
    const row = this.#selectPayment.get(number)
    return row && (JSON.parse(String(row['text'])) as Payment)
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }
}
