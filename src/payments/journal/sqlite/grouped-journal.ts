// The journal in an SQLite file for many payments at once. What is written is on disk after flush(), and one commit serves all
// payments that were written by then.
//
// A payment must be on disk as ARMED before it is sent; everything else can wait. So a usual payment takes part in two commits. The
// first writes it when it is armed, together with the earlier lines of its history. The second writes CREATED with the next flush.
// If the process is killed before the first, nothing was sent; if before the second, the next run finds the transaction in the
// service's list. Two processes may begin the same new payment: the one that arms it first goes on.
import fs from 'node:fs'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Payment, PaymentState} from '../../protocol/payment.ts'
import {
  type AcquiredLease,
  type CommitCheck,
  type Entry,
  type HistoryEntry,
  type Intent,
  type Journal,
  JournalUnusable,
  type Lease,
  type LeaseOwner,
  type PaymentFilter,
} from '../journal.ts'
import {describeJournalFailure} from './file.ts'
import {SqliteJournal, leaseLost} from './sqlite-journal.ts'
import type {Change, NewPayment} from './write-payment.ts'

// Pages that the write-ahead log may grow to before a checkpoint, for which every writer waits.
const logPagesMax = 8_000

// Half of the time after which another process may take a lease over.
const leaseSureMs = 60_000

const statesBeforeArming: ReadonlySet<PaymentState> = new Set(['INTENDED', 'QUOTED'])

type Unwritten = NewPayment & {lease?: Lease}
type Made = Change & {lease: Lease}

const toId = ({serviceId, key}: Pick<Payment, 'serviceId' | 'key'>) => `${serviceId} ${key}`

export class GroupedJournal extends SqliteJournal implements Journal {
  readonly #groupSync: GroupSync
  // New payments that are not in the file yet.
  readonly #unwritten = new Map<string, Unwritten>()
  // Payments that were made, while their rows in the file still say ARMED.
  readonly #made = new Map<string, Made>()
  // Payments that were committed since the last sync, and those that the present sync brings to disk.
  #unsynced = new Set<string>()
  #inSync = new Set<string>()
  // Leases on new payments that another process wrote first.
  readonly #lostLeases = new WeakSet<Lease>()
  // When leases were last renewed by a write of this process.
  readonly #renewals = new WeakMap<Lease, number>()
  // Whether another process kept the file busy at the last write.
  #isBusy = false
  // Leases that were written in the open transaction, which keeps every other process from taking them over.
  readonly #lockedLeases = new Set<Lease>()

  constructor(connection: SqliteConnection, file: string, now: () => number) {
    super(connection, file, now, true)
    this.#groupSync = new GroupSync(
      `${file}-wal`,
      () => this.#commitAll(),
      () => this.#inSync.clear(),
      () => connection.changeCount > 0,
    )
    // What is committed outlives the process, and after a flush also a crash of the machine.
    connection.database.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${logPagesMax}`)
  }

  override async findOrCreate(intent: Intent): Promise<Payment> {
    // Read first, so that nobody in this process can begin the same payment between the look at the map and the change of it.
    const inFile = await super.find(intent.serviceId, intent.key)
    const known = this.#findInMemory(intent.serviceId, intent.key) ?? inFile
    if (known) return known
    const newPayment = this.create(intent)
    this.#unwritten.set(toId(intent), newPayment)
    return newPayment.payment
  }

  override async find(serviceId: string, key: string): Promise<Payment | undefined> {
    return this.#findInMemory(serviceId, key) ?? super.find(serviceId, key)
  }

  override async list(filter: PaymentFilter): Promise<Payment[]> {
    const {serviceId, keys} = filter
    // What is known of single payments can be told while another process keeps the file busy.
    if (serviceId !== undefined && keys !== undefined) {
      const found = await super.list(filter)
      const isUnwritten = (key: string) => this.#findInMemory(serviceId, key) !== undefined
      const inMemory = keys.flatMap((key) => this.#findInMemory(serviceId, key) ?? [])
      return [...found.filter(({key}) => !isUnwritten(key)), ...inMemory]
    }
    this.#writeAll()
    return super.list(filter)
  }

  override async history(serviceId: string, key: string): Promise<HistoryEntry[]> {
    this.#writeAll()
    return super.history(serviceId, key)
  }

  override async acquireLease(
    serviceId: string,
    key: string,
    owner: LeaseOwner,
  ): Promise<AcquiredLease | {heldBy: LeaseOwner}> {
    const id = toId({serviceId, key})
    const unwritten = this.#unwritten.get(id)
    if (!unwritten) {
      if (this.#made.has(id)) this.#writeAll()
      return super.acquireLease(serviceId, key, owner)
    }
    if (unwritten.lease) return {heldBy: unwritten.lease.owner}
    unwritten.lease = {serviceId, key, epoch: 1, owner}
    return {lease: unwritten.lease, payment: unwritten.payment}
  }

  override async renewLease(lease: Lease): Promise<void> {
    this.#requireLease(lease)
    if (this.#findUnwritten(lease) || this.#lockedLeases.has(lease)) return
    await super.renewLease(lease)
  }

  override async releaseLease(lease: Lease): Promise<void> {
    if (this.#lostLeases.has(lease)) return
    const unwritten = this.#findUnwritten(lease)
    if (!unwritten) return super.releaseLease(lease)
    this.endedLeases.add(lease)
    // Nothing was sent for it, so that nobody has to wait once more for a file that is busy.
    if (this.#isBusy) return
    this.transact(() => this.#insertNew(unwritten))
  }

  override async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    if (this.#findInMemory(serviceId, key)) this.#writeAll()
    return super.findLeaseHolder(serviceId, key)
  }

  override async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    this.#requireLease(lease)
    this.#unsynced.add(toId(lease))
    // Whose transaction it is, is looked up in the file.
    if (check?.transactionId !== undefined && this.#made.size > 0) this.transact(() => this.#writeMade())
    const unwritten = this.#findUnwritten(lease)
    if (!unwritten && !check && payment.state === 'CREATED') return this.#keepMade(lease, payment, entry)
    if (unwritten && !check && statesBeforeArming.has(payment.state)) return this.#keepChange(unwritten, payment, entry)
    const written = await this.#noticeBusy(async () =>
      unwritten ? this.#writeNew(lease, unwritten, payment, entry, check) : super.commit(lease, payment, entry, check),
    )
    this.#lockedLeases.add(lease)
    this.#renewals.set(lease, this.now())
    return written
  }

  // Remembers that another process keeps the file busy, until a write succeeds again.
  async #noticeBusy<T>(write: () => Promise<T>): Promise<T> {
    try {
      const written = await write()
      this.#isBusy = false
      return written
    } catch (error) {
      this.#isBusy ||= error instanceof JournalUnusable && error.problem === 'busy'
      throw error
    }
  }

  override async flush(): Promise<void> {
    try {
      await this.#groupSync.flush()
    } catch (error) {
      throw describeJournalFailure(this.file, error)
    }
  }

  isFlushed(serviceId: string, key: string): boolean {
    const id = toId({serviceId, key})
    return !this.#unsynced.has(id) && !this.#inSync.has(id)
  }

  // Callers that depend on a write have waited for flush(), so a failure here is not reported.
  override async close(): Promise<void> {
    try {
      if (!this.#isBusy || this.#made.size > 0) this.#writeAll()
    } catch {
      // The file keeps what was flushed.
    }
    this.#groupSync.close()
    await super.close()
  }

  protected override finishTransaction(): void {
    this.#lockedLeases.clear()
    super.finishTransaction()
  }

  #requireLease(lease: Lease): void {
    if (this.#lostLeases.has(lease)) throw leaseLost(lease)
  }

  #findInMemory(serviceId: string, key: string): Payment | undefined {
    const id = toId({serviceId, key})
    return (this.#unwritten.get(id) ?? this.#made.get(id))?.payment
  }

  #findUnwritten(lease: Lease): Unwritten | undefined {
    const unwritten = this.#unwritten.get(toId(lease))
    return unwritten?.lease === lease ? unwritten : undefined
  }

  #keepChange(unwritten: Unwritten, payment: Payment, entry: Entry): Payment {
    const change = this.stamp(payment, entry)
    unwritten.payment = change.payment
    unwritten.lines.push(change.line)
    return change.payment
  }

  #keepMade(lease: Lease, payment: Payment, entry: Entry): Payment {
    if (this.#made.has(toId(payment))) this.#writeAll()
    const renewedMs = this.now() - (this.#renewals.get(lease) ?? 0)
    if (renewedMs > leaseSureMs && !this.isHeld(lease)) throw leaseLost(lease)
    const change = this.stamp(payment, entry)
    this.#made.set(toId(payment), {lease, ...change})
    this.endedLeases.add(lease)
    return change.payment
  }

  #writeNew(lease: Lease, unwritten: Unwritten, payment: Payment, entry: Entry, check?: CommitCheck): Payment {
    const written = this.transact(() => {
      this.judge(lease, check)
      const change = this.stamp(payment, entry)
      if (payment.state === 'CREATED') this.endedLeases.add(lease)
      const lines = [...unwritten.lines, change.line]
      return this.#insertNew({lease, payment: change.payment, lines}) ? change.payment : undefined
    })
    if (!written) throw leaseLost(lease)
    return written
  }

  // Returns false if another process wrote a payment with this key first.
  #insertNew({lease, ...newPayment}: Unwritten): boolean {
    const owner = lease && !this.endedLeases.has(lease) ? lease.owner : null
    const isInserted = this.insert(newPayment, lease && {epoch: lease.epoch, owner})
    this.#unwritten.delete(toId(newPayment.payment))
    if (!isInserted && lease) this.#lostLeases.add(lease)
    return isInserted
  }

  #writeAll(): void {
    if (this.#unwritten.size + this.#made.size === 0) return
    this.transact(() => {
      for (const unwritten of this.#unwritten.values()) this.#insertNew(unwritten)
      this.#writeMade()
    })
  }

  // A lease can still be lost in the moment since the payment was made, if this process was suspended. The process that has it then
  // finds the transaction in the service's list, and records it.
  #writeMade(): void {
    for (const {lease, ...change} of this.#made.values()) this.update(lease, change)
    this.#made.clear()
  }

  // New payments that are leased wait until they are armed.
  #commitAll(): void {
    const withoutLease = [...this.#unwritten.values()].filter(({lease}) => !lease)
    if (withoutLease.length + this.#made.size > 0) {
      this.transact(() => {
        for (const unwritten of withoutLease) this.#insertNew(unwritten)
        this.#writeMade()
      })
    }
    this.commitTransaction()
    for (const id of this.#unsynced) this.#inSync.add(id)
    this.#unsynced = new Set()
  }
}

// Syncs the journal's write-ahead log to disk for many payments at once, while other work goes on.

// A disk that syncs faster than this is synced on the main thread: handing it to another thread takes longer.
const inlineSyncMaxMs = 1
// After a slower sync, this many run in the background before an inline sync is tried again.
const backgroundSyncs = 50

export class GroupSync {
  readonly #file: string
  readonly #commit: () => void
  readonly #onSynced: () => void
  readonly #hasWritten: () => boolean
  #descriptor: number | undefined
  #runningSync: Promise<void> | undefined
  #pendingSync: Promise<void> | undefined
  #backgroundSyncsLeft = 0
  // After a failed sync the system may drop the pages and report success next time, so every later call fails as well.
  #failure: unknown

  // `commit` ends the open transaction and is called just before each sync, and `onSynced` when what it wrote is on disk.
  constructor(file: string, commit: () => void, onSynced: () => void = () => {}, hasWritten = () => true) {
    this.#file = file
    this.#commit = commit
    this.#onSynced = onSynced
    this.#hasWritten = hasWritten
  }

  // Resolves when everything written before the call is on disk.
  flush(): Promise<void> {
    // A sync that has not started yet also covers writes made before it starts, so callers share it. A sync already in
    // progress may have missed them, so they wait for the next one.
    this.#pendingSync ??= this.#scheduleSync()
    return this.#pendingSync
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  async #scheduleSync(): Promise<void> {
    await this.#runningSync?.catch(() => {})
    this.#pendingSync = undefined
    this.#runningSync = this.#sync()
    return this.#runningSync
  }

  async #sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    // If it fails only because another process keeps the file busy, the next flush can succeed.
    this.#commit()
    try {
      const descriptor = this.#openLog()
      if (descriptor !== undefined && this.#backgroundSyncsLeft > 0) await this.#syncInBackground(descriptor)
      else if (descriptor !== undefined) this.#syncInline(descriptor)
      this.#onSynced()
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  // Undefined where nothing can be written, as on a read-only file system, and nothing was.
  #openLog(): number | undefined {
    try {
      this.#descriptor ??= fs.openSync(this.#file, 'r+')
      return this.#descriptor
    } catch (error) {
      if (this.#hasWritten()) throw error
      return undefined
    }
  }

  #syncInline(descriptor: number): void {
    const startedMs = performance.now()
    fs.fdatasyncSync(descriptor)
    if (performance.now() - startedMs > inlineSyncMaxMs) this.#backgroundSyncsLeft = backgroundSyncs
  }

  #syncInBackground(descriptor: number): Promise<void> {
    this.#backgroundSyncsLeft--
    return new Promise((resolve, reject) => {
      fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
    })
  }
}
