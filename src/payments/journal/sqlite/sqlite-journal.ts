// The journal in an SQLite file. A write is on disk when the call returns, or after flush() if writes are grouped.
import {
  type AcquiredLease,
  type CommitCheck,
  type DecisionEntry,
  type Entry,
  type HistoryEntry,
  type Intent,
  type Journal,
  type JournalOptions,
  type Lease,
  LeaseLost,
  type PaidToQuery,
  type Payee,
  type PaymentFilter,
  type Reservation,
  type ReservationCheck,
  timeMax,
} from '../journal.ts'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {SpendingQuery} from '../../../profiles/check-spending.ts'
import {type Decision, toDecisionLine} from '../decision.ts'
import {GroupSync} from './group-sync.ts'
import {findElsewhere, readFindings, readSpentAmounts} from './findings.ts'
import {describeJournalFailure, openJournalFile} from './file.ts'
import {type LeaseOwner, hasEnded} from '../../lease-owner.ts'
import {type Payment, spendingStates} from '../../payment.ts'
import {HistoryWriter, type NewEntry, selectDecisions, selectHistory} from './history.ts'
import {selectPaidTo, selectSpentSince} from './list-query.ts'
import {findLeaseRow, readRenewedAt} from './leases.ts'
import {listPayments, readPayments} from './read-payments.ts'
import {selectPayees} from './payees.ts'
import {deleteReservation, insertReservation} from './reservations.ts'
import {selectSpentAmounts} from './spent-amounts.ts'
import {type Transactions, createTransactions} from './group-commit.ts'
import {insertPayment, toPayment, updatePayment} from './write-payment.ts'

// A lease held on another machine expires if it is not renewed for this long.
const leaseTimeoutMs = 120_000
// Pages that the write-ahead log of a grouped journal may grow to before a checkpoint, for which every writer waits.
const logPagesMax = 8_000
// A lease that was written more recently than this is not renewed again.
const renewalIntervalMs = 10_000

export function openSqliteJournal(
  file: string,
  {now = Date.now, isGrouped = false, isOnlyRead = false}: JournalOptions = {},
): Journal {
  return new SqliteJournal(openJournalFile(file, {isOnlyRead}), file, now, isGrouped)
}

const leaseLost = ({key}: Lease) => new LeaseLost(`another process has taken over ${key}`)

// Closes its connection when it is closed.
export class SqliteJournal implements Journal {
  readonly #connection: SqliteConnection
  readonly #file: string
  readonly #now: () => number
  readonly #history: HistoryWriter
  readonly #transactions: Transactions
  readonly #groupSync: GroupSync | undefined
  // The payment that was created last, while its transaction is open.
  #created: Payment | undefined
  // The leases that ended with a commit.
  readonly #endedLeases = new WeakSet<Lease>()

  constructor(connection: SqliteConnection, file: string, now: () => number, isGrouped: boolean) {
    this.#history = new HistoryWriter(connection)
    this.#transactions = createTransactions(connection.database, isGrouped, {
      beforeCommit: () => this.#finishTransaction(),
      countChanges: () => connection.changeCount,
    })
    this.#groupSync = isGrouped ? new GroupSync(`${file}-wal`, () => this.#transactions.commit()) : undefined
    // flush() syncs the writes of many payments together. A process that is killed before loses nothing: only a crash of
    // the machine does.
    if (isGrouped) connection.database.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${logPagesMax}`)
    this.#connection = connection
    this.#file = file
    this.#now = now
  }

  async findOrCreate({serviceId, key, content, template, slot}: Intent): Promise<Payment> {
    return this.#transact(() => {
      const known = this.#find(serviceId, key)
      if (known) return known
      const at = this.#now()
      const payment: Payment = {
        serviceId,
        key,
        ...(template !== undefined && {template}),
        ...(slot !== undefined && {slot}),
        content,
        state: 'INTENDED',
        attempts: [],
        createdAt: at,
        updatedAt: at,
      }
      const paymentText = insertPayment(this.#connection, payment)
      this.#append({serviceId, key, at, entry: {what: 'INTENDED'}, paymentText})
      this.#created = payment
      return payment
    })
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
    this.#transactGuarded(() => this.#append({serviceId, key, at: this.#now(), entry}))
  }

  async listDecisions(): Promise<DecisionEntry[]> {
    return this.#read(() => selectDecisions(this.#connection))
  }

  async acquireLease(serviceId: string, key: string, owner: LeaseOwner): Promise<AcquiredLease | {heldBy: LeaseOwner}> {
    return this.#transact(() => {
      const {payment, holder, renewedAt, epoch: lastEpoch} = this.#findLeased(serviceId, key)
      if (holder && !this.#isFree(holder, renewedAt)) return {heldBy: holder}
      const epoch = lastEpoch + 1
      this.#connection
        .prepare('update payments set epoch = ?, owner = ?, renewedAt = ? where serviceId = ? and key = ?')
        .run(epoch, JSON.stringify(owner), this.#now(), serviceId, key)
      if (holder) {
        const entry = {what: 'TAKEN_OVER', detail: {host: holder.host, pid: holder.pid}}
        this.#append({serviceId, key, at: this.#now(), entry})
      }
      return {lease: {serviceId, key, epoch, owner}, payment}
    })
  }

  // Nobody can have changed a payment that was created in the present transaction.
  #findLeased(serviceId: string, key: string) {
    const created = this.#created
    this.#created = undefined
    if (created?.key === key && created.serviceId === serviceId) {
      return {payment: created, holder: undefined, renewedAt: 0, epoch: 0}
    }
    const row = findLeaseRow(this.#connection, serviceId, key)
    if (!row) throw new Error(`no payment ${key} to lease`)
    const holder = row.owner === null ? undefined : (JSON.parse(row.owner) as LeaseOwner)
    return {payment: toPayment(row), holder, renewedAt: row.renewedAt ?? 0, epoch: row.epoch}
  }

  async renewLease(lease: Lease): Promise<void> {
    const {serviceId, key} = lease
    // Every commit renews the lease as well, so most renewals need no write.
    const renewedAt = this.#read(() => readRenewedAt(this.#connection, lease))
    if (renewedAt !== undefined && this.#now() - renewedAt < renewalIntervalMs) return
    const sql = 'update payments set renewedAt = ? where serviceId = ? and key = ? and epoch = ?'
    const renew = () => this.#connection.prepare(sql).run(this.#now(), serviceId, key, lease.epoch)
    if (this.#transact(renew).changes === 0) throw leaseLost(lease)
  }

  async releaseLease(lease: Lease): Promise<void> {
    if (this.#endedLeases.has(lease)) return
    const {serviceId, key, epoch} = lease
    const sql = 'update payments set owner = null, renewedAt = null where serviceId = ? and key = ? and epoch = ?'
    this.#transact(() => this.#connection.prepare(sql).run(serviceId, key, epoch))
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    return this.#read(() => {
      const {owner, renewedAt} = findLeaseRow(this.#connection, serviceId, key) ?? {}
      const holder = owner ? (JSON.parse(owner) as LeaseOwner) : undefined
      return holder && !this.#isFree(holder, renewedAt ?? 0) ? holder : undefined
    })
  }

  async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    const {serviceId, key} = lease
    // A payment that was made needs no lease, so the same write ends it.
    const endsLease = payment.state === 'CREATED'
    const written = this.#transact(() => {
      check?.judge(readFindings(this.#connection, lease, check))
      const at = this.#now()
      // Always later than before, so that a process that waits can see the change.
      const changed = {...payment, updatedAt: Math.max(at, payment.updatedAt + 1)}
      const paymentText = updatePayment(this.#connection, lease, changed, endsLease ? null : at)
      if (paymentText === undefined) throw leaseLost(lease)
      this.#append({serviceId, key, at, entry, paymentText})
      return changed
    })
    if (endsLease) this.#endedLeases.add(lease)
    return written
  }

  async flush(): Promise<void> {
    try {
      await this.#groupSync?.flush()
    } catch (error) {
      throw describeJournalFailure(this.#file, error)
    }
  }

  async reserve(reservation: Reservation, check?: ReservationCheck): Promise<void> {
    const {serviceId} = reservation
    this.#transactGuarded(() => {
      check?.judge({spentAmounts: readSpentAmounts(this.#connection, {serviceId, key: ''}, check)})
      insertReservation(this.#connection, reservation, this.#now())
    })
  }

  async cancelReservation(serviceId: string, id: string): Promise<void> {
    this.#transactGuarded(() => deleteReservation(this.#connection, serviceId, id))
  }

  async close(): Promise<void> {
    this.#transactions.finish()
    this.#groupSync?.close()
    this.#connection.close()
  }

  // The process of the holder has ended, or the lease has expired.
  #isFree(holder: LeaseOwner, renewedAt: number): boolean {
    return hasEnded(holder) || this.#now() - renewedAt > leaseTimeoutMs
  }

  async listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]> {
    return this.#read(() => selectSpentAmounts(this.#connection, {serviceId, key}, query))
  }

  #finishTransaction(): void {
    this.#created = undefined
    this.#history.writeEnd()
  }

  #append(entry: NewEntry): void {
    this.#history.append(entry)
  }

  #read<T>(work: () => T): T {
    try {
      return this.#connection.retryWhileBusy(work)
    } catch (error) {
      throw describeJournalFailure(this.#file, error)
    }
  }

  // The write lock is taken at the start, so that nothing that was read changes before the write.
  #transact<T>(work: () => T): T {
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
      this.#created = undefined
      throw describeJournalFailure(this.#file, error)
    }
  }
}
