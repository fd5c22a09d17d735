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
import {describeJournalFailure, openJournalFile} from './file.ts'
import {type LeaseOwner, hasEnded} from '../../lease-owner.ts'
import {type Payment, spendingStates} from '../../payment.ts'
import {HistoryWriter, type NewEntry, selectDecisions, selectHistory} from './history.ts'
import {hasOtherServices, selectElsewhere, selectPaidTo, selectSpentSince} from './list-query.ts'
import {listPayments, readPayments} from './read-payments.ts'
import {selectPayees} from './payees.ts'
import {deleteReservation, insertReservation} from './reservations.ts'
import {selectSpentAmounts} from './spent-amounts.ts'
import {type Transactions, createTransactions} from './group-commit.ts'
import {insertPayment, paymentColumns, toPayment, updatePayment} from './write-payment.ts'

// A lease held on another machine expires if it is not renewed for this long.
const leaseTimeoutMs = 120_000
// Pages that the write-ahead log of a grouped journal may grow to before a checkpoint, for which every writer waits.
const logPagesMax = 8_000
// A lease that was written more recently than this is not renewed again.
const renewalIntervalMs = 10_000

interface Row extends Record<string, unknown> {
  epoch: number
  owner: string | null
  renewedAt: number | null
}

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

  constructor(connection: SqliteConnection, file: string, now: () => number, isGrouped: boolean) {
    this.#history = new HistoryWriter(connection)
    this.#transactions = createTransactions(connection.database, isGrouped, () => this.#history.writeEnd())
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
      return payment
    })
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    return this.#read(() => this.#find(serviceId, key))
  }

  #find(serviceId: string, key: string): Payment | undefined {
    const row = this.#findRow(serviceId, key)
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
    return this.#findElsewhere(serviceId, key)
  }

  #findElsewhere(serviceId: string, key: string): Payment[] {
    if (!this.#read(() => this.#connection.prepare(hasOtherServices).get({serviceId})?.['found'])) return []
    return this.#readPayments(selectElsewhere, {key, serviceId})
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
    this.#transact(() => this.#append({serviceId, key, at: this.#now(), entry}))
  }

  async listDecisions(): Promise<DecisionEntry[]> {
    return this.#read(() => selectDecisions(this.#connection))
  }

  async acquireLease(serviceId: string, key: string, owner: LeaseOwner): Promise<AcquiredLease | {heldBy: LeaseOwner}> {
    return this.#transact(() => {
      const row = this.#findRow(serviceId, key)
      if (!row) throw new Error(`no payment ${key} to lease`)
      const holder = row.owner === null ? undefined : (JSON.parse(row.owner) as LeaseOwner)
      if (holder && !this.#isFree(holder, row.renewedAt ?? 0)) return {heldBy: holder}
      const epoch = row.epoch + 1
      this.#connection
        .prepare('update payments set epoch = ?, owner = ?, renewedAt = ? where serviceId = ? and key = ?')
        .run(epoch, JSON.stringify(owner), this.#now(), serviceId, key)
      if (holder) {
        const entry = {what: 'TAKEN_OVER', detail: {host: holder.host, pid: holder.pid}}
        this.#append({serviceId, key, at: this.#now(), entry})
      }
      return {lease: {serviceId, key, epoch, owner}, payment: toPayment(row)}
    })
  }

  async renewLease(lease: Lease): Promise<void> {
    const {serviceId, key} = lease
    // Every commit renews the lease as well, so most renewals need no write.
    const renewedAt = this.#read(() => this.#getRenewedAt(lease))
    if (renewedAt !== undefined && this.#now() - renewedAt < renewalIntervalMs) return
    const sql = 'update payments set renewedAt = ? where serviceId = ? and key = ? and epoch = ?'
    const renew = () => this.#connection.prepare(sql).run(this.#now(), serviceId, key, lease.epoch)
    if (this.#transact(renew, {isOneStatement: true}).changes === 0) throw leaseLost(lease)
  }

  async releaseLease({serviceId, key, epoch}: Lease): Promise<void> {
    const sql = 'update payments set owner = null, renewedAt = null where serviceId = ? and key = ? and epoch = ?'
    this.#transact(() => this.#connection.prepare(sql).run(serviceId, key, epoch), {isOneStatement: true})
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    return this.#read(() => {
      const {owner, renewedAt} = this.#findRow(serviceId, key) ?? {}
      const holder = owner ? (JSON.parse(owner) as LeaseOwner) : undefined
      return holder && !this.#isFree(holder, renewedAt ?? 0) ? holder : undefined
    })
  }

  async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    const {serviceId, key} = lease
    return this.#transact(() => {
      if (check) this.#judge(lease, check)
      const at = this.#now()
      // Always later than before, so that a process that waits can see the change.
      const written = {...payment, updatedAt: Math.max(at, payment.updatedAt + 1)}
      const paymentText = updatePayment(this.#connection, lease, written, at)
      if (paymentText === undefined) throw leaseLost(lease)
      this.#append({serviceId, key, at, entry, paymentText})
      return written
    })
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
    this.#transact(() => {
      check?.judge({spentAmounts: this.#readSpentAmounts({serviceId, key: ''}, check)})
      insertReservation(this.#connection, reservation, this.#now())
    })
  }

  async cancelReservation(serviceId: string, id: string): Promise<void> {
    this.#transact(() => deleteReservation(this.#connection, serviceId, id))
  }

  async close(): Promise<void> {
    this.#transactions.finish()
    this.#groupSync?.close()
    this.#connection.close()
  }

  #judge(lease: Lease, check: CommitCheck): void {
    const others = this.#findElsewhere(lease.serviceId, lease.key)
    const isOtherId = ({serviceId}: Payment) => check.otherIds?.includes(serviceId) === true
    check.judge({
      spentAmounts: this.#readSpentAmounts(lease, check),
      underOtherIds: others.filter(isOtherId),
      elsewhere: others.filter((payment) => !isOtherId(payment)),
    })
  }

  #readSpentAmounts(
    {serviceId, key}: Pick<Lease, 'serviceId' | 'key'>,
    {spending, otherIds = []}: Pick<CommitCheck, 'spending' | 'otherIds'>,
  ): string[] {
    if (!spending) return []
    return [serviceId, ...otherIds].flatMap((id) =>
      selectSpentAmounts(this.#connection, {serviceId: id, key}, spending),
    )
  }

  // The process of the holder has ended, or the lease has expired.
  #isFree(holder: LeaseOwner, renewedAt: number): boolean {
    return hasEnded(holder) || this.#now() - renewedAt > leaseTimeoutMs
  }

  async listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]> {
    return this.#read(() => selectSpentAmounts(this.#connection, {serviceId, key}, query))
  }

  #findRow(serviceId: string, key: string): Row | undefined {
    const sql = `select ${paymentColumns}, epoch, owner, renewedAt from payments where serviceId = ? and key = ?`
    return this.#connection.prepare(sql).get(serviceId, key) as Row | undefined
  }

  // Undefined if the lease is held by another process now.
  #getRenewedAt({serviceId, key, epoch}: Lease): number | undefined {
    const sql = 'select renewedAt from payments where serviceId = ? and key = ? and epoch = ?'
    const row = this.#connection.prepare(sql).get(serviceId, key, epoch)
    return row && Number(row['renewedAt'] ?? 0)
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
  #transact<T>(work: () => T, {isOneStatement = false} = {}): T {
    const {end} = this.#history
    try {
      return isOneStatement ? this.#transactions.runStatement(work) : this.#transactions.run(work)
    } catch (error) {
      // Nothing of the work is left.
      this.#history.end = end
      throw describeJournalFailure(this.#file, error)
    }
  }
}
