// The journal in an SQLite file.
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import {isBusy} from '../../../storage/sqlite-error.ts'
import type {Payment} from '../../protocol/payment.ts'
import {type ChainHead, type NewChainEntry, fileChain, linkEntry} from '../chain.ts'
import type {CommitCheck, DecisionEntry, HistoryEntry, Journal, PaidToQuery, Payee, PaymentFilter} from '../journal.ts'
import {type LeaseOwner, isLeaseFree} from '../owner.ts'
import {
  type Change,
  type Outcome,
  QueuedJournal,
  type Write,
  createDecisionLine,
  getPaymentName,
  isDurable,
} from '../queued-journal.ts'
import {describeJournalFailure} from './file.ts'
import {
  findElsewhere,
  findRow,
  insertRow,
  listPaidTo,
  listPayees,
  listPayments,
  readFindings,
  selectDecisions,
  selectHistory,
  selectSpentAmounts,
  updateLease,
  updateRow,
} from './queries.ts'

// Pages that the write-ahead log may grow to before a checkpoint, for which every writer waits.
const logPagesMax = 8_000

const selectHead = 'select chain, number, hash from chains where chain = ?'
const updateHead = 'update chains set number = ?, hash = ? where chain = ?'
const insertLine =
  'insert into history (seq, serviceId, key, at, what, detail, payment, hash) values (?, ?, ?, ?, ?, ?, ?, ?)'

// Closes its connection when it is closed.
export class SqliteJournal extends QueuedJournal implements Journal {
  readonly #connection: SqliteConnection
  readonly #file: string
  readonly #now: () => number
  #isBusy = false
  // After a failed commit the system may drop what was written before it, so every later write fails as well.
  #failure: {cause: unknown} | undefined

  constructor(connection: SqliteConnection, file: string, now: () => number) {
    super()
    this.#connection = connection
    this.#file = file
    this.#now = now
    connection.database.exec(`pragma wal_autocheckpoint = ${logPagesMax}`)
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    return this.#read(() => findRow(this.#connection, {serviceId, key})?.payment)
  }

  async list(filter: PaymentFilter): Promise<Payment[]> {
    return this.#read(() => listPayments(this.#connection, filter))
  }

  async findElsewhere(serviceId: string, key: string): Promise<Payment[]> {
    return this.#read(() => findElsewhere(this.#connection, serviceId, key))
  }

  async listPaidTo(query: PaidToQuery): Promise<Payment[]> {
    return this.#read(() => listPaidTo(this.#connection, query))
  }

  async listPayees(serviceId: string, destinations: readonly string[]): Promise<Payee[]> {
    return this.#read(() => listPayees(this.#connection, serviceId, destinations))
  }

  async history(serviceId: string, key: string): Promise<HistoryEntry[]> {
    return this.#read(() => selectHistory(this.#connection, serviceId, key))
  }

  async listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]> {
    return this.#read(() => selectSpentAmounts(this.#connection, {serviceId, key}, query))
  }

  async listDecisions(): Promise<DecisionEntry[]> {
    return this.#read(() => selectDecisions(this.#connection))
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    const {owner, renewedAt} = this.#read(() => findRow(this.#connection, {serviceId, key})) ?? {renewedAt: 0}
    return owner && !isLeaseFree(owner, renewedAt, this.now()) ? owner : undefined
  }

  override async close(): Promise<void> {
    await super.close()
    this.#connection.close()
  }

  protected override now(): number {
    return this.#now()
  }

  protected override get isAway(): boolean {
    return this.#isBusy
  }

  protected override isOfOne(): boolean {
    return false
  }

  // The write lock is taken at the start, so that nothing that was read changes before the write. A lease outlives the process when
  // the transaction ends; what must outlive a power cut is synced by the commit, with everything before it.
  protected override async writeGroup(writes: readonly Write[]): Promise<Outcome[]> {
    if (this.#failure) throw this.#failure.cause
    const {database} = this.#connection
    let isWhole = false
    try {
      this.#connection.retryWhileBusy(() => {
        database.exec(`pragma synchronous = ${writes.some(isDurable) ? 'full' : 'normal'}; begin immediate`)
      })
      this.#isBusy = false
      const outcomes = this.#applyAll(writes)
      isWhole = true
      this.#connection.run('commit')
      return outcomes
    } catch (error) {
      this.#isBusy = isBusy(error)
      const failure = describeJournalFailure(this.#file, error)
      if (isWhole) this.#failure = {cause: failure}
      this.#rollBack()
      throw failure
    }
  }

  // A full disk may have rolled back already. The error that led here is the one to report.
  #rollBack(): void {
    try {
      if (this.#connection.database.isTransaction) this.#connection.database.exec('rollback')
    } catch {
      return
    }
  }

  #applyAll(writes: readonly Write[]): Outcome[] {
    const nowMs = this.now()
    const head = {
      ...(this.#connection.one<ChainHead>(selectHead, fileChain) ?? {chain: fileChain, number: 0, hash: ''}),
    }
    const before = head.number
    const outcomes = writes.map((write): Outcome => {
      if (write.do === 'decide') {
        this.#append(head, createDecisionLine(write.line, nowMs))
        return {result: {}}
      }
      const row = findRow(this.#connection, getPaymentName(write))
      const judge = (check: CommitCheck) => check.judge(readFindings(this.#connection, getPaymentName(write), check))
      let change: Change
      try {
        change = this.applyWrite(write, row, nowMs, judge)
      } catch (refusal) {
        return {refusal}
      }
      if (change.row && !row) insertRow(this.#connection, change.row, change.text ?? '')
      else if (change.row && change.text !== undefined) updateRow(this.#connection, change.row, change.text)
      else if (change.row) updateLease(this.#connection, change.row)
      for (const line of change.lines) this.#append(head, line)
      return {result: change.result}
    })
    if (head.number > before) this.#connection.run(updateHead, head.number, head.hash, fileChain)
    return outcomes
  }

  #append(head: ChainHead, line: NewChainEntry): void {
    const {number, serviceId, key, at, what, detail, payment, hash} = linkEntry(head, line)
    this.#connection.run(insertLine, number, serviceId, key, at, what, detail, payment, hash)
  }

  #read<T>(work: () => T): T {
    try {
      return this.#connection.retryWhileBusy(work)
    } catch (error) {
      throw describeJournalFailure(this.#file, error)
    }
  }
}
