// The journal in an SQLite file. Every write is on disk when the call returns.
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import {
  type AcquiredLease,
  type CommitCheck,
  type Decision,
  type DecisionEntry,
  type Entry,
  type HistoryEntry,
  type Intent,
  type Journal,
  type Lease,
  LeaseLost,
  type LeaseOwner,
  type PaidToQuery,
  type Payee,
  type PaymentFilter,
  timeMax,
  toDecisionLine,
  toNewPayment,
  toPaymentText,
  readOwner,
} from '../journal.ts'
import {type Payment, spendingStates} from '../../protocol/payment.ts'
import {describeJournalFailure} from './file.ts'
import {
  findElsewhere,
  listPayments,
  readFindings,
  readPayments,
  selectPaidTo,
  selectPayees,
  selectSpentAmounts,
  selectSpentSince,
} from './queries.ts'
import {type Transactions, createTransactions} from './group-commit.ts'
import {
  type Change,
  type FirstLease,
  HistoryWriter,
  type NewPayment,
  findLeaseRow,
  insertPayment,
  isLeaseFree,
  readRenewedAt,
  selectDecisions,
  selectHistory,
  toPayment,
  updatePayment,
} from './write-payment.ts'

// A lease that was written more recently than this is not renewed again.
const renewalIntervalMs = 10_000

export const leaseLost = ({key}: Lease) => new LeaseLost(`another process has taken over ${key}`)

// Closes its connection when it is closed.
export class SqliteJournal implements Journal {
  readonly #connection: SqliteConnection
  protected readonly file: string
  protected readonly now: () => number
  readonly #history: HistoryWriter
  readonly #transactions: Transactions
  // The leases that ended with a write.
  protected readonly endedLeases = new WeakSet<Lease>()

  constructor(connection: SqliteConnection, file: string, now: () => number, isGrouped = false) {
    this.#history = new HistoryWriter(connection)
    this.#transactions = createTransactions(connection.database, isGrouped, {
      beforeCommit: () => this.finishTransaction(),
      countChanges: () => connection.changeCount,
    })
    this.#connection = connection
    this.file = file
    this.now = now
  }

  async findOrCreate(intent: Intent): Promise<Payment> {
    return this.transact(() => {
      const known = this.#find(intent.serviceId, intent.key)
      if (known) return known
      const newPayment = this.create(intent)
      this.insert(newPayment)
      return newPayment.payment
    })
  }

  protected create(intent: Intent): NewPayment {
    const {serviceId, key} = intent
    const at = this.now()
    const payment: Payment = {...toNewPayment(intent), createdAt: at, updatedAt: at}
    return {payment, lines: [{serviceId, key, at, entry: {what: 'INTENDED'}}]}
  }

  // Returns false, and writes nothing, if there is a payment with this key already.
  protected insert({payment, lines}: NewPayment, lease?: FirstLease): boolean {
    const text = toPaymentText(payment)
    if (!insertPayment(this.#connection, payment, text, lease)) return false
    const last = lines.at(-1)
    for (const line of lines) this.#history.append(line, line === last ? text : undefined)
    return true
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    return this.#read(() => this.#find(serviceId, key))
  }

  #find(serviceId: string, key: string): Payment | undefined {
    const row = findLeaseRow(this.#connection, serviceId, key)
    return row && toPayment(row)
  }

  async list(filter: PaymentFilter): Promise<Payment[]> {
    return this.#read(() => listPayments(this.#connection, filter))
  }

  async listSpentSince(serviceId: string, sinceMs: number, createdBeforeMs = timeMax): Promise<Payment[]> {
    const states = JSON.stringify(spendingStates)
    return this.#readPayments(selectSpentSince, {serviceId, sinceMs, createdBeforeMs, states})
  }

  async findElsewhere(serviceId: string, key: string): Promise<Payment[]> {
    return this.#read(() => findElsewhere(this.#connection, serviceId, key))
  }

  async listPaidTo({serviceId, destination, currency, sinceMs}: PaidToQuery): Promise<Payment[]> {
    const values = {serviceId, destination, currency: currency.toUpperCase(), sinceMs}
    return this.#readPayments(selectPaidTo, {...values, states: JSON.stringify(spendingStates)})
  }

  async listPayees(serviceId: string, destinations: readonly string[]): Promise<Payee[]> {
    return this.#read(() => selectPayees(this.#connection, serviceId, destinations))
  }

  #readPayments(sql: string, values: Record<string, string | number>): Payment[] {
    return this.#read(() => readPayments(this.#connection, sql, values))
  }

  async history(serviceId: string, key: string): Promise<HistoryEntry[]> {
    return this.#read(() => selectHistory(this.#connection, serviceId, key))
  }

  async recordDecision(decision: Decision): Promise<void> {
    const {serviceId, key, entry} = toDecisionLine(decision)
    this.#transactGuarded(() => this.#history.append({serviceId, key, at: this.now(), entry}))
  }

  async listDecisions(): Promise<DecisionEntry[]> {
    return this.#read(() => selectDecisions(this.#connection))
  }

  async acquireLease(serviceId: string, key: string, owner: LeaseOwner): Promise<AcquiredLease | {heldBy: LeaseOwner}> {
    return this.transact(() => {
      const {payment, holder, renewedAt, epoch: lastEpoch} = this.#findLeased(serviceId, key)
      if (holder && !isLeaseFree(holder, renewedAt, this.now())) return {heldBy: holder}
      const epoch = lastEpoch + 1
      this.#connection
        .prepare('update payments set epoch = ?, owner = ?, renewedAt = ? where serviceId = ? and key = ?')
        .run(epoch, JSON.stringify(owner), this.now(), serviceId, key)
      if (holder) {
        const entry = {what: 'TAKEN_OVER', detail: {host: holder.host, pid: holder.pid}}
        this.#history.append({serviceId, key, at: this.now(), entry})
      }
      return {lease: {serviceId, key, epoch, owner}, payment}
    })
  }

  #findLeased(serviceId: string, key: string) {
    const row = findLeaseRow(this.#connection, serviceId, key)
    if (!row) throw new Error(`no payment ${key} to lease`)
    const holder = row.owner === null ? undefined : readOwner(row.owner)
    return {payment: toPayment(row), holder, renewedAt: row.renewedAt ?? 0, epoch: row.epoch}
  }

  async renewLease(lease: Lease): Promise<void> {
    const {serviceId, key} = lease
    // Every commit renews the lease as well, so most renewals need no write.
    const renewedAt = this.#read(() => readRenewedAt(this.#connection, lease))
    if (renewedAt !== undefined && this.now() - renewedAt < renewalIntervalMs) return
    const sql = 'update payments set renewedAt = ? where serviceId = ? and key = ? and epoch = ?'
    const renew = () => this.#connection.prepare(sql).run(this.now(), serviceId, key, lease.epoch)
    if (this.transact(renew).changes === 0) throw leaseLost(lease)
  }

  protected isHeld(lease: Lease): boolean {
    return this.#read(() => readRenewedAt(this.#connection, lease)) !== undefined
  }

  async releaseLease(lease: Lease): Promise<void> {
    if (this.endedLeases.has(lease)) return
    const {serviceId, key, epoch} = lease
    const sql = 'update payments set owner = null, renewedAt = null where serviceId = ? and key = ? and epoch = ?'
    this.transact(() => this.#connection.prepare(sql).run(serviceId, key, epoch))
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    return this.#read(() => {
      const {owner, renewedAt} = findLeaseRow(this.#connection, serviceId, key) ?? {}
      const holder = owner ? readOwner(owner) : undefined
      return holder && !isLeaseFree(holder, renewedAt ?? 0, this.now()) ? holder : undefined
    })
  }

  async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    return this.transact(() => {
      this.judge(lease, check)
      const change = this.stamp(payment, entry)
      if (!this.update(lease, change)) throw leaseLost(lease)
      return change.payment
    })
  }

  // The payment as it is written now. Its time is later than before, so that a process that waits can see the change.
  protected stamp(payment: Payment, entry: Entry): Change {
    const {serviceId, key} = payment
    const at = this.now()
    const next = {...payment, updatedAt: Math.max(at, payment.updatedAt + 1)}
    return {payment: next, line: {serviceId, key, at, entry}}
  }

  // Returns false, and writes nothing, if another process has taken the lease over. A payment that was made needs no lease, so the
  // same write ends it.
  protected update(lease: Lease, {payment, line}: Change): boolean {
    const endsLease = payment.state === 'CREATED'
    const renewedAt = endsLease ? null : line.at
    const text = toPaymentText(payment)
    if (!updatePayment(this.#connection, lease, payment, text, renewedAt)) return false
    this.#history.append(line, text)
    if (endsLease) this.endedLeases.add(lease)
    return true
  }

  // Throws if the check decides against the write.
  protected judge(lease: Lease, check: CommitCheck | undefined): void {
    check?.judge(readFindings(this.#connection, lease, check))
  }

  // Every write is on disk already.
  async flush(): Promise<void> {}

  async close(): Promise<void> {
    this.#transactions.finish()
    this.#connection.close()
  }

  async listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]> {
    return this.#read(() => selectSpentAmounts(this.#connection, {serviceId, key}, query))
  }

  protected commitTransaction(): void {
    this.#transactions.commit()
  }

  // Called before each commit of a database transaction.
  protected finishTransaction(): void {
    this.#history.writeEnd()
  }

  #read<T>(work: () => T): T {
    try {
      return this.#connection.retryWhileBusy(work)
    } catch (error) {
      throw describeJournalFailure(this.file, error)
    }
  }

  // The write lock is taken at the start, so that nothing that was read changes before the write.
  protected transact<T>(work: () => T): T {
    return this.#undoIfFailed(() => this.#transactions.runUnguarded(work))
  }

  #transactGuarded<T>(work: () => T): T {
    return this.#undoIfFailed(() => this.#transactions.run(work))
  }

  #undoIfFailed<T>(run: () => T): T {
    const {end} = this.#history
    try {
      return run()
    } catch (error) {
      // Nothing of the work is left.
      this.#history.end = end
      throw describeJournalFailure(this.file, error)
    }
  }
}
