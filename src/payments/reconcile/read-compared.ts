// Reads the payments that a comparison with the service needs, so that one of the last day does not read a journal of years:
// those of the time, those that are unsettled, and those to which the transactions belong.
import {DatabaseSync} from 'node:sqlite'
import type {LooseTransaction} from '../../contract/loose.ts'
import {parseJson} from '../../values/json.ts'
import {readText} from '../../values/records.ts'
import type {Journal} from '../journal/journal.ts'
import {walkPayments} from '../journal/entries.ts'
import {getPaymentIds, keepNeededFields} from '../protocol/find-transaction.ts'
import {
  type Payment,
  type PaymentState,
  isDerivedCorrelationId,
  notMadeStates,
  unsettledStates,
} from '../protocol/payment.ts'
import {type PaymentList, type Scope, checkStuck, createOwnerLookup, isInScope, isSince} from './reconcile.ts'

// How long before the service made it a payment may have been armed, whatever the clocks of hosts say.
const armedBeforeMaxMs = 2 * 24 * 3_600_000
const lookupMax = 500

const isMarkedAsOwn = ({correlationId}: LooseTransaction) => isDerivedCorrelationId(correlationId)

// The payments that were read, each once, in a store.
class ComparedPayments implements PaymentList {
  readonly #scope: Scope
  readonly #store: ComparisonStore
  // The numbers by which the store has them: negative for those that were read newest first.
  readonly #numbers = new Map<string, number>()
  #backwards = 0
  // The places of the transactions of which the payment whose ids they carry is known.
  readonly #recognized = new Set<number>()

  constructor(scope: Scope, store: ComparisonStore) {
    this.#scope = scope
    this.#store = store
  }

  get length(): number {
    return this.#numbers.size
  }

  // Oldest first, and then those that were added for other reasons.
  at(place: number): Payment | undefined {
    const number = place - this.#backwards
    return this.#store.readPayment(number < 0 ? number : number + 1)
  }

  *[Symbol.iterator](): Generator<Payment> {
    for (let place = 0; place < this.length; place++) {
      const payment = this.at(place)
      if (payment) yield payment
    }
  }

  // Has to be called before add(). Each page goes before the payments of the pages until then.
  addNewestFirst(payments: readonly Payment[]): void {
    for (const payment of payments) this.#write(payment, -(this.#numbers.size + 1))
    this.#backwards = this.#numbers.size
  }

  add(payments: readonly Payment[]): void {
    for (const payment of payments) this.#write(payment, this.#numbers.size - this.#backwards + 1)
  }

  #write(payment: Payment, next: number): void {
    const id = JSON.stringify([payment.serviceId, payment.key])
    const number = this.#numbers.get(id) ?? next
    this.#numbers.set(id, number)
    this.#store.writePayment(number, payment)
  }

  isRecognized = (place: number) => this.#recognized.has(place)

  recognize(place: number): void {
    this.#recognized.add(place)
  }

  // Adds those of the payments to which one of the transactions belongs, if that can lead to a finding.
  addOwners(payments: readonly Payment[], transactions: readonly PlacedTransaction[]): void {
    if (payments.length === 0) return
    const findOwners = createOwnerLookup(payments)
    for (const {place, transaction} of transactions) {
      const owners = findOwners(transaction).flatMap((owner) => payments[owner] ?? [])
      const isCarrier = (owner: Payment) =>
        getPaymentIds(owner).correlationIds.includes(readText(transaction.correlationId))
      if (owners.some(isCarrier)) this.recognize(place)
      this.add(owners.filter((owner) => this.isShown(transaction) || isInScope(owner, this.#scope)))
    }
  }

  isShown(transaction: LooseTransaction): boolean {
    return isSince(transaction.createdAt, this.#scope.sinceMs) || checkStuck(transaction, '', this.#scope).length > 0
  }

  // An old transaction matters as well if it may be of a payment that is in scope because it was changed since.
  isRelevant(transaction: LooseTransaction): boolean {
    return isMarkedAsOwn(transaction) || this.isShown(transaction)
  }
}

interface PlacedTransaction {
  // In the list.
  place: number
  transaction: LooseTransaction
}

// Those of the transactions that matter, some at a time.
function* listParts(
  transactions: Iterable<LooseTransaction>,
  matters: (entry: PlacedTransaction) => boolean,
): Generator<PlacedTransaction[]> {
  let part: PlacedTransaction[] = []
  let place = 0
  for (const transaction of transactions) {
    const entry = {place: place++, transaction}
    if (!matters(entry)) continue
    part.push(entry)
    if (part.length < lookupMax) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

// Finds the payments whose mark is one of these among all with these states, a page at a time.
async function findByCorrelationId(
  journal: Journal,
  {serviceId, states}: {serviceId: string; states: readonly PaymentState[]},
  marks: ReadonlySet<string>,
): Promise<Payment[]> {
  if (marks.size === 0) return []
  const found: Payment[] = []
  for await (const page of walkPayments(journal, {serviceId, states})) {
    found.push(...page.filter((payment) => getPaymentIds(payment).correlationIds.some((id) => marks.has(id))))
  }
  return found
}

export async function readComparedPayments(
  journal: Journal,
  serviceId: string,
  transactions: Iterable<LooseTransaction>,
  scope: Scope,
  store = new ComparisonStore(),
): Promise<PaymentList> {
  const payments = new ComparedPayments(scope, store)
  for await (const page of walkPayments(journal, {serviceId, sinceMs: scope.sinceMs})) payments.addNewestFirst(page)
  payments.add(await journal.listSpentSince(serviceId, scope.sinceMs - armedBeforeMaxMs, scope.sinceMs))
  payments.add(await journal.list({serviceId, states: unsettledStates}))
  const known = new Set<string>()
  for (const payment of payments) for (const id of getPaymentIds(payment).correlationIds) known.add(id)
  const isRelevant = ({transaction}: PlacedTransaction) => payments.isRelevant(transaction)
  // A payment that was not made does not know its transaction. Where the journal made everything, none is left to look for.
  const isOther = ({place, transaction}: PlacedTransaction) =>
    isMarkedAsOwn(transaction) && !payments.isRecognized(place)
  const marks = new Set<string>()
  for (const part of listParts(transactions, isRelevant)) {
    for (const {place, transaction} of part)
      if (known.has(readText(transaction.correlationId))) payments.recognize(place)
    const transactionIds = part.map(({transaction}) => readText(transaction.transactionId)).filter((id) => id !== '')
    payments.addOwners(await journal.list({serviceId, transactionIds}), part)
    for (const {transaction} of part.filter(isOther)) marks.add(readText(transaction.correlationId))
  }
  const owners = await findByCorrelationId(journal, {serviceId, states: notMadeStates}, marks)
  if (owners.length > 0) for (const part of listParts(transactions, isOther)) payments.addOwners(owners, part)
  return payments
}

// Keeps what a comparison has read out of memory: in a temporary database that has no name, and is gone when it is closed or the
// process ends. It has ids, states, times and amounts alone.

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
