// The journal in PostgreSQL for many payments at once, as grouped-journal.ts is for a file: a usual payment takes part in two
// transactions, each of which serves all payments that are ready by then. The first writes it when it is armed, with the earlier
// lines of its history, and is durable when the commit resolves. The second writes CREATED and ends the lease, and is durable after
// flush(). Everything unusual is written one by one, as without groups.
import {randomUUID} from 'node:crypto'
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {PostgresDatabase} from '../../../storage/postgres/database.ts'
import {toPostgresError} from '../../../storage/postgres/postgres-error.ts'
import type {Payment, PaymentState} from '../../protocol/payment.ts'
import {
  type AcquiredLease,
  type CommitCheck,
  type Entry,
  type HistoryEntry,
  type Intent,
  type Lease,
  type LeaseOwner,
  type PaymentFilter,
  toNewPayment,
} from '../journal.ts'
import {type GroupLine, type GroupOutcome, type GroupWrite, type MadeWrite, type NewWrite, writeGroup} from './group.ts'
import {PostgresJournal, leaseLost} from './postgres-journal.ts'

// Another process may take a lease over two minutes after it was last written.
const renewalMs = 10_000
const leaseSureMs = 60_000
const groupMax = 500

const statesBeforeArming: ReadonlySet<PaymentState> = new Set(['INTENDED', 'QUOTED'])

// A new payment that is not in the database yet.
interface Unwritten {
  payment: Payment
  lines: GroupLine[]
  lease?: Lease
}

interface Waiting {
  write: NewWrite
  resolve: (outcome: GroupOutcome & {writeId: string}) => void
  reject: (error: unknown) => void
}

const toId = ({serviceId, key}: Pick<Payment, 'serviceId' | 'key'>) => `${serviceId} ${key}`

const toLine = (entry: Entry): GroupLine => ({entry, atTicks: performance.now()})

export class GroupedPostgresJournal extends PostgresJournal {
  readonly #database: PostgresDatabase
  readonly #finder: GroupedFinder
  readonly #unwritten = new Map<string, Unwritten>()
  // Payments that were made, while their rows still say ARMED.
  readonly #made = new Map<string, MadeWrite>()
  // Leases that ended without a write of their own, and those that another process has.
  readonly #endedLeases = new WeakSet<Lease>()
  readonly #lostLeases = new WeakSet<Lease>()
  // When leases were written by this process.
  readonly #renewals = new WeakMap<Lease, {ticks: number; wallMs: number}>()
  #waiting: Waiting[] = []
  // The group that is written now, and the made payments in it.
  #running: Promise<void> | undefined
  #inRunning: ReadonlySet<MadeWrite> = new Set()
  // The group that has not begun yet.
  #next: Promise<void> | undefined

  constructor(database: PostgresDatabase) {
    super(database)
    this.#database = database
    this.#finder = new GroupedFinder((serviceId, keys) => super.list({serviceId, keys}))
  }

  override async findOrCreate(intent: Intent): Promise<Payment> {
    // Read first, so that nobody in this process can begin the same payment between the look at the map and the change of it.
    const inDatabase = await this.#finder.find(intent.serviceId, intent.key)
    const known = this.#findInMemory(intent.serviceId, intent.key) ?? inDatabase
    if (known) return known
    const now = Date.now()
    const payment = {...toNewPayment(intent), createdAt: now, updatedAt: now}
    this.#unwritten.set(toId(intent), {payment, lines: [toLine({what: 'INTENDED'})]})
    return payment
  }

  override async find(serviceId: string, key: string): Promise<Payment | undefined> {
    return this.#findInMemory(serviceId, key) ?? this.#finder.find(serviceId, key)
  }

  override async list(filter: PaymentFilter): Promise<Payment[]> {
    const {serviceId, keys} = filter
    if (serviceId === undefined || keys === undefined) {
      await this.flush()
      return super.list(filter)
    }
    const found = await super.list(filter)
    const inMemory = keys.flatMap((key) => this.#findInMemory(serviceId, key) ?? [])
    return [...found.filter(({key}) => !this.#findInMemory(serviceId, key)), ...inMemory]
  }

  override async history(serviceId: string, key: string): Promise<HistoryEntry[]> {
    await this.flush()
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
      if (this.#made.has(id)) await this.flush()
      return super.acquireLease(serviceId, key, owner)
    }
    if (unwritten.lease) return {heldBy: unwritten.lease.owner}
    unwritten.lease = {serviceId, key, epoch: 1, owner}
    return {lease: unwritten.lease, payment: unwritten.payment}
  }

  override async renewLease(lease: Lease): Promise<void> {
    this.#requireLease(lease)
    if (this.#findUnwritten(lease) || this.#isSure(lease, renewalMs)) return
    await super.renewLease(lease)
  }

  override async releaseLease(lease: Lease): Promise<void> {
    if (this.#endedLeases.has(lease)) return
    const unwritten = this.#findUnwritten(lease)
    if (!unwritten && !this.#lostLeases.has(lease)) return super.releaseLease(lease)
    this.#endedLeases.add(lease)
    // A write of it that nobody answered may be in the database.
    this.markUnreturned(lease)
    if (!unwritten) return
    this.#unwritten.delete(toId(lease))
    // Nothing was sent for it, so nobody waits once more for a database that is away.
    if (!this.#database.isAway) await this.#write({kind: 'new', lease, ...unwritten, isLeased: false})
  }

  override async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    const id = toId({serviceId, key})
    if (this.#made.has(id)) await this.flush()
    return this.#unwritten.get(id)?.lease?.owner ?? super.findLeaseHolder(serviceId, key)
  }

  override async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    this.#requireLease(lease)
    // Whose transaction it is, is looked up in the database.
    if (check?.transactionId !== undefined) await this.flush()
    const unwritten = this.#findUnwritten(lease)
    if (!unwritten) {
      const follows = payment.state === 'CREATED' && !check ? this.getLastWrite(lease) : undefined
      if (follows === undefined || !this.#isSure(lease, leaseSureMs)) return super.commit(lease, payment, entry, check)
      return this.#keepMade({kind: 'made', lease, payment, lines: [toLine(entry)], follows})
    }
    if (!check && statesBeforeArming.has(payment.state)) {
      unwritten.payment = payment
      unwritten.lines.push(toLine(entry))
      return payment
    }
    // Only one alone can be asked for the owners of its transaction.
    if (check?.transactionId !== undefined) {
      await this.#writeNew(lease, unwritten)
      return super.commit(lease, payment, entry, check)
    }
    return this.#writeNew(lease, {payment, lines: [...unwritten.lines, toLine(entry)]}, check)
  }

  // What was armed is durable already. What was made is written with the next group.
  override async flush(what?: 'armed'): Promise<void> {
    if (what === 'armed' || this.#made.size === 0) return
    const isUnderWay = [...this.#made.values()].every((made) => this.#inRunning.has(made))
    await this.wrap(() => (isUnderWay && this.#running ? this.#running : this.#nextGroup()))
  }

  isFlushed(serviceId: string, key: string): boolean {
    return !this.#findInMemory(serviceId, key)
  }

  override async close(): Promise<void> {
    // Callers that depend on a write have waited for flush().
    if (!this.#database.isAway) await this.flush().catch(() => {})
    await super.close()
  }

  #requireLease(lease: Lease): void {
    if (this.#lostLeases.has(lease)) throw leaseLost(lease)
  }

  // Whether nobody else can have the lease, by the clock of this machine and by the time that has passed.
  #isSure(lease: Lease, maxMs: number): boolean {
    const renewal = this.#renewals.get(lease)
    if (!renewal) return false
    return performance.now() - renewal.ticks < maxMs && Math.abs(Date.now() - renewal.wallMs) < maxMs
  }

  #findInMemory(serviceId: string, key: string): Payment | undefined {
    const id = toId({serviceId, key})
    return (this.#unwritten.get(id) ?? this.#made.get(id))?.payment
  }

  #findUnwritten(lease: Lease): Unwritten | undefined {
    const unwritten = this.#unwritten.get(toId(lease))
    return unwritten?.lease === lease ? unwritten : undefined
  }

  async #keepMade(made: MadeWrite): Promise<Payment> {
    this.#made.set(toId(made.payment), made)
    this.#endedLeases.add(made.lease)
    return made.payment
  }

  async #writeNew(
    lease: Lease,
    {payment, lines}: Pick<Unwritten, 'payment' | 'lines'>,
    check?: CommitCheck,
  ): Promise<Payment> {
    const [ticks, wallMs] = [performance.now(), Date.now()]
    const outcome = await this.#write({kind: 'new', lease, payment, lines, isLeased: true, check})
    if (outcome.kind === 'refused') throw outcome.error
    this.#unwritten.delete(toId(lease))
    if (outcome.kind === 'lost') {
      this.#lostLeases.add(lease)
      throw leaseLost(lease)
    }
    this.keepLease(lease, outcome.writeId)
    this.#renewals.set(lease, {ticks, wallMs})
    return outcome.payment
  }

  #write(write: NewWrite): Promise<GroupOutcome & {writeId: string}> {
    return this.wrap(
      () =>
        new Promise((resolve, reject) => {
          this.#waiting.push({write, resolve, reject})
          this.#nextGroup().catch(() => {})
        }),
    )
  }

  // It has everything that is added until the group before it has ended.
  #nextGroup(): Promise<void> {
    this.#next ??= this.#beginNext()
    return this.#next
  }

  async #beginNext(): Promise<void> {
    await this.#running?.catch(() => {})
    await nextTurn()
    this.#next = undefined
    const waiting = this.#waiting.splice(0, groupMax)
    if (this.#waiting.length > 0) this.#nextGroup().catch(() => {})
    this.#running = this.#writeTogether(waiting, [...this.#made.values()])
    return this.#running
  }

  async #writeTogether(waiting: readonly Waiting[], made: readonly MadeWrite[]): Promise<void> {
    this.#inRunning = new Set(made)
    try {
      await this.#writeGroup(waiting, made)
    } catch (error) {
      // What is wrong with one of them must not stop the others.
      const isOfOne =
        toPostgresError(error, {isConnected: true})?.problem === 'other' && waiting.length + made.length > 1
      if (isOfOne) return await this.#writeApart(waiting, made)
      for (const {reject} of waiting) reject(error)
      throw error
    } finally {
      this.#inRunning = new Set()
    }
  }

  async #writeGroup(waiting: readonly Waiting[], made: readonly MadeWrite[]): Promise<void> {
    const writes: GroupWrite[] = [...waiting.map(({write}) => write), ...made]
    if (writes.length === 0) return
    const writeId = randomUUID()
    const outcomes = await this.#database.transact((query) => writeGroup(query, writes, writeId), {isRepeatable: true})
    for (const [index, {resolve}] of waiting.entries()) resolve({...(outcomes[index] ?? {kind: 'lost'}), writeId})
    // One whose lease was lost is found by the process that has it, in the service's list.
    for (const {lease} of made) {
      this.#made.delete(toId(lease))
      this.forgetLease(lease)
    }
  }

  async #writeApart(waiting: readonly Waiting[], made: readonly MadeWrite[]): Promise<void> {
    for (const each of waiting) await this.#writeGroup([each], []).catch(each.reject)
    for (const each of made) await this.#writeGroup([], [each])
  }
}

// Finds payments that are asked for in the same turn with one statement.
class GroupedFinder {
  readonly #read: (serviceId: string, keys: readonly string[]) => Promise<Payment[]>
  readonly #pending = new Map<string, {keys: Set<string>; found: Promise<Map<string, Payment>>}>()

  constructor(read: (serviceId: string, keys: readonly string[]) => Promise<Payment[]>) {
    this.#read = read
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    const pending = this.#pending.get(serviceId) ?? this.#begin(serviceId)
    pending.keys.add(key)
    return (await pending.found).get(key)
  }

  #begin(serviceId: string) {
    const keys = new Set<string>()
    const readAll = async () => {
      await nextTurn()
      this.#pending.delete(serviceId)
      const payments = await this.#read(serviceId, [...keys])
      return new Map(payments.map((payment) => [payment.key, payment]))
    }
    const pending = {keys, found: readAll()}
    this.#pending.set(serviceId, pending)
    return pending
  }
}
