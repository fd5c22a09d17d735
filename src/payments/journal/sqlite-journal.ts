// The journal in an SQLite file: what must not be lost is on the disk when it returns.
import {
  type Entry,
  type HistoryEntry,
  type Intent,
  type Journal,
  type Lease,
  LeaseLost,
  type PaymentFilter,
  type AcquiredLease,
} from './journal.ts'
import type {SqliteConnection} from '../../storage/sqlite.ts'
import type {SpendingQuery} from '../../profiles/check-spending.ts'
import {GroupSync} from './group-sync.ts'
import {describeJournalFailure, openJournalFile} from './file.ts'
import {type LeaseOwner, isGone} from '../lease-owner.ts'
import {type Payment, spendingStates} from '../payment.ts'
import {type Transactions, createTransactions} from './group-commit.ts'

// A lease of another machine ends when nothing was heard of its holder for this long.
const leaseTimeoutMs = 120_000
// How long the log of many payments may grow, in pages, before it is carried over, for which everything waits.
const logPagesMax = 8_000
// Sooner than this nobody needs to hear of a holder again.
const renewalMs = 10_000

interface Row {
  payment: string
  epoch: number
  owner: string | null
  renewedAt: number | null
}

interface JournalOptions {
  // Many payments at once: what is committed is on the disk when `flush` says so.
  isGrouped?: boolean | undefined
}

export function openJournal(
  file: string,
  now: () => number = Date.now,
  {isGrouped = false}: JournalOptions = {},
): Journal {
  return new SqliteJournal(openJournalFile(file), file, now, isGrouped)
}

const leaseLost = ({key}: Lease) => new LeaseLost(`another process has taken over ${key}`)

// When it was spent, or may have been: as the request was armed, or, for one that was found, as the service made it.
const getSpentAt = ({attempts, madeAt}: Payment) => attempts.at(-1)?.armedAt ?? madeAt ?? null

class SqliteJournal implements Journal {
  readonly #connection: SqliteConnection
  readonly #file: string
  readonly #now: () => number
  readonly #transactions: Transactions
  readonly #flusher: GroupSync | undefined

  constructor(connection: SqliteConnection, file: string, now: () => number, isGrouped: boolean) {
    this.#transactions = createTransactions(connection.database, isGrouped)
    this.#flusher = isGrouped ? new GroupSync(`${file}-wal`, () => this.#transactions.commit()) : undefined
    // What many payments write is written through together, by flush(); a process that ends loses nothing either way.
    if (isGrouped) connection.database.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${logPagesMax}`)
    this.#connection = connection
    this.#file = file
    this.#now = now
  }

  findOrCreate({serviceId, key, content, template, slot}: Intent): Payment {
    return this.#transact(() => {
      const known = this.find(serviceId, key)
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
      const {sourceCurrency, sourceAmount} = content.source
      this.#connection
        .prepare(
          'insert into payments (serviceId, key, template, slot, state, currency, amount, createdAt, payment) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        )
        .run(
          serviceId,
          key,
          template ?? null,
          slot ?? null,
          payment.state,
          sourceCurrency.toUpperCase(),
          sourceAmount,
          at,
          JSON.stringify(payment),
        )
      this.#write(serviceId, key, at, {what: 'INTENDED'})
      return payment
    })
  }

  find(serviceId: string, key: string): Payment | undefined {
    return this.#read(() => {
      const row = this.#row(serviceId, key)
      return row && (JSON.parse(row.payment) as Payment)
    })
  }

  list({serviceId, states, template, sinceMs}: PaymentFilter): Payment[] {
    const where = [
      ...(serviceId === undefined ? [] : ['serviceId = :serviceId']),
      ...(template === undefined ? [] : ['template = :template']),
      ...(sinceMs === undefined ? [] : ['createdAt >= :since']),
      ...(states === undefined ? [] : [`state in (select value from json_each(:states))`]),
    ]
    const sql = `select payment from payments ${where.length > 0 ? `where ${where.join(' and ')}` : ''} order by createdAt, key`
    const values = {
      ...(serviceId !== undefined && {serviceId}),
      ...(template !== undefined && {template}),
      ...(sinceMs !== undefined && {since: sinceMs}),
      ...(states !== undefined && {states: JSON.stringify(states)}),
    }
    return this.#read(() =>
      this.#connection
        .prepare(sql)
        .all(values)
        .map((row) => JSON.parse(String(row['payment'])) as Payment),
    )
  }

  history(serviceId: string, key: string): HistoryEntry[] {
    return this.#read(() =>
      this.#connection
        .prepare('select at, what, detail from history where serviceId = ? and key = ? order by seq')
        .all(serviceId, key)
        .map(({at, what, detail}) => ({
          at: Number(at),
          what: String(what),
          ...(detail !== null && {detail: JSON.parse(String(detail)) as NonNullable<Entry['detail']>}),
        })),
    )
  }

  acquireLease(serviceId: string, key: string, owner: LeaseOwner): AcquiredLease | {heldBy: LeaseOwner} {
    return this.#transact(() => {
      const row = this.#row(serviceId, key)
      if (!row) throw new Error(`no payment ${key} to take`)
      const holder = row.owner === null ? undefined : (JSON.parse(row.owner) as LeaseOwner)
      if (holder && !this.#isFree(holder, row.renewedAt ?? 0)) return {heldBy: holder}
      const epoch = row.epoch + 1
      this.#connection
        .prepare('update payments set epoch = ?, owner = ?, renewedAt = ? where serviceId = ? and key = ?')
        .run(epoch, JSON.stringify(owner), this.#now(), serviceId, key)
      if (holder)
        this.#write(serviceId, key, this.#now(), {what: 'TAKEN_OVER', detail: {host: holder.host, pid: holder.pid}})
      return {lease: {serviceId, key, epoch, owner}, payment: JSON.parse(row.payment) as Payment}
    })
  }

  renewLease(lease: Lease): void {
    const {serviceId, key} = lease
    // Whoever has just written is heard of already, and need not write for it.
    const heardAt = this.#read(() => this.#heardAt(lease))
    if (heardAt !== undefined && this.#now() - heardAt < renewalMs) return
    this.#transact(() => {
      const sql = 'update payments set renewedAt = ? where serviceId = ? and key = ? and epoch = ?'
      const {changes} = this.#connection.prepare(sql).run(this.#now(), serviceId, key, lease.epoch)
      if (changes === 0) throw leaseLost(lease)
    })
  }

  releaseLease({serviceId, key, epoch}: Lease): void {
    this.#transact(() =>
      this.#connection
        .prepare('update payments set owner = null, renewedAt = null where serviceId = ? and key = ? and epoch = ?')
        .run(serviceId, key, epoch),
    )
  }

  findLeaseHolder(serviceId: string, key: string): LeaseOwner | undefined {
    return this.#read(() => {
      const {owner, renewedAt} = this.#row(serviceId, key) ?? {}
      const holder = owner ? (JSON.parse(owner) as LeaseOwner) : undefined
      return holder && !this.#isFree(holder, renewedAt ?? 0) ? holder : undefined
    })
  }

  commit(
    lease: Lease,
    payment: Payment,
    entry: Entry,
    judge?: (spent: (of: SpendingQuery) => string[]) => void,
  ): Payment {
    const {serviceId, key} = lease
    return this.#transact(() => {
      judge?.((of) => this.#spent(lease, of))
      const at = this.#now()
      // Always later than before, so that whoever looks again sees that something changed.
      const written = {...payment, updatedAt: Math.max(at, payment.updatedAt + 1)}
      const {sourceCurrency, sourceAmount} = written.content.source
      const {changes} = this.#connection
        .prepare(
          'update payments set state = ?, currency = ?, amount = ?, spentAt = ?, payment = ?, renewedAt = ? where serviceId = ? and key = ? and epoch = ?',
        )
        .run(
          written.state,
          sourceCurrency.toUpperCase(),
          sourceAmount,
          getSpentAt(written),
          JSON.stringify(written),
          at,
          serviceId,
          key,
          lease.epoch,
        )
      if (changes === 0) throw leaseLost(lease)
      this.#write(serviceId, key, at, entry)
      return written
    })
  }

  async flush(): Promise<void> {
    try {
      await this.#flusher?.flush()
    } catch (error) {
      throw describeJournalFailure(this.#file, error)
    }
  }

  close(): void {
    this.#transactions.finish()
    this.#flusher?.close()
    this.#connection.close()
  }

  // The process is gone, or nothing was heard of another machine for so long that it counts as gone.
  #isFree(holder: LeaseOwner, renewedAt: number): boolean {
    return isGone(holder) || this.#now() - renewedAt > leaseTimeoutMs
  }

  listSpentAmounts(serviceId: string, key: string, of: SpendingQuery): string[] {
    return this.#read(() => this.#spent({serviceId, key}, of))
  }

  // Amounts are added up by whoever asks, as decimals. One that is not known yet is empty, in whatever currency it may be.
  #spent({serviceId, key}: Pick<Lease, 'serviceId' | 'key'>, {currency, sinceMs}: SpendingQuery): string[] {
    return this.#connection
      .prepare(
        "select amount from payments where serviceId = ? and currency in (?, '') and spentAt >= ? and key <> ? and state in (select value from json_each(?))",
      )
      .all(serviceId, currency.toUpperCase(), sinceMs, key, JSON.stringify(spendingStates))
      .map(({amount}) => String(amount))
  }

  #row(serviceId: string, key: string): Row | undefined {
    const sql = 'select payment, epoch, owner, renewedAt from payments where serviceId = ? and key = ?'
    return this.#connection.prepare(sql).get(serviceId, key) as Row | undefined
  }

  // When the holder of this lease last said something; nothing if it is not the holder any more.
  #heardAt({serviceId, key, epoch}: Lease): number | undefined {
    const sql = 'select renewedAt from payments where serviceId = ? and key = ? and epoch = ?'
    const row = this.#connection.prepare(sql).get(serviceId, key, epoch)
    return row && Number(row['renewedAt'] ?? 0)
  }

  #write(serviceId: string, key: string, at: number, {what, detail}: Entry): void {
    this.#connection
      .prepare('insert into history (serviceId, key, at, what, detail) values (?, ?, ?, ?, ?)')
      .run(serviceId, key, at, what, detail ? JSON.stringify(detail) : null)
  }

  #read<T>(work: () => T): T {
    try {
      return this.#connection.retryWhileBusy(work)
    } catch (error) {
      throw describeJournalFailure(this.#file, error)
    }
  }

  // All or nothing; the write lock is taken at the start, so that what was read is still true when it is written.
  #transact<T>(work: () => T): T {
    try {
      return this.#transactions.run(work)
    } catch (error) {
      throw describeJournalFailure(this.#file, error)
    }
  }
}
