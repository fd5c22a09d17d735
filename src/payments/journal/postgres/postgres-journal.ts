// The journal in a PostgreSQL database, shared by many hosts. Its clock is the database's. A commit whose answer was lost is read
// back first, and what cannot be found out is an error.
import {randomUUID} from 'node:crypto'
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import type {PostgresDatabase, Query, SqlValue, Statement} from '../../../storage/postgres/database.ts'
import {toPostgresError} from '../../../storage/postgres/postgres-error.ts'
import {type Payment, spendingStates} from '../../protocol/payment.ts'
import {
  type DecisionEntry,
  type HistoryEntry,
  type Journal,
  type JournalRole,
  type PaidToQuery,
  type Payee,
  type PaymentFilter,
  decided,
  readDetail,
} from '../journal.ts'
import {buildList, isOfAllServices} from '../list-query.ts'
import {type LeaseOwner, isLeaseFree, readOwner} from '../owner.ts'
import {type Outcome, QueuedJournal, type Write} from '../queued-journal.ts'
import {describePostgresFailure} from './failure.ts'
import {type StatementName, columns, getStatement, listOfEveryService} from './statements.ts'
import {type GroupTry, type PaymentRow, readSpent, toPayment, wasWritten, writeGroup} from './write-group.ts'

type HistoryRow = {service_id: string; key: string; at: number; what: string; detail: string | null}

const toHistoryEntry = ({at, what, detail}: HistoryRow): HistoryEntry => ({
  at,
  what,
  ...(detail !== null && {detail: readDetail(detail)}),
})

interface Search {
  keys: Set<string>
  found: Promise<Payment[]>
}

// Closes its database when it is closed.
export class PostgresJournal extends QueuedJournal implements Journal {
  readonly #database: PostgresDatabase
  readonly #searches = new Map<string, Search>()

  constructor(database: PostgresDatabase) {
    super()
    this.#database = database
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    const search = this.#searches.get(serviceId) ?? this.#startSearch(serviceId)
    search.keys.add(key)
    return (await search.found).find((payment) => payment.key === key)
  }

  // Payments that are looked for in the same turn are found by one statement.
  #startSearch(serviceId: string): Search {
    const keys = new Set<string>()
    const read = async () => {
      await nextTurn()
      this.#searches.delete(serviceId)
      return this.list({serviceId, keys: [...keys]})
    }
    const search = {keys, found: read()}
    this.#searches.set(serviceId, search)
    return search
  }

  async list(filter: PaymentFilter): Promise<Payment[]> {
    const rows = await this.#wrap(() => this.#database.read<PaymentRow>(...buildListQuery(filter)))
    return rows.map(toPayment)
  }

  async findElsewhere(serviceId: string, key: string): Promise<Payment[]> {
    const rows = await this.#read<PaymentRow>('everywhere', [[key]])
    return rows.map(toPayment).filter((payment) => payment.serviceId !== serviceId)
  }

  async listPaidTo({serviceId, destination, currency, sinceMs}: PaidToQuery): Promise<Payment[]> {
    const values = [serviceId, destination, currency.toUpperCase(), sinceMs, spendingStates]
    return (await this.#read<PaymentRow>('paidTo', values)).map(toPayment)
  }

  async listPayees(serviceId: string, destinations: readonly string[]): Promise<Payee[]> {
    const rows = await this.#read<{destination: string; first_seen_at: number | null}>('payees', [
      serviceId,
      destinations,
    ])
    return rows.map(({destination, first_seen_at: firstSeenAt}) =>
      firstSeenAt === null ? {destination, isPaid: true} : {destination, isPaid: false, firstSeenAt},
    )
  }

  async history(serviceId: string, key: string): Promise<HistoryEntry[]> {
    return (await this.#read<HistoryRow>('history', [serviceId, key])).map(toHistoryEntry)
  }

  async listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]> {
    const read: Query = (statement, values) => this.#database.read(statement, values)
    return this.#wrap(() => readSpent(read, serviceId, [key], query))
  }

  async listDecisions(): Promise<DecisionEntry[]> {
    const rows = await this.#read<HistoryRow>('decisions', [decided])
    return rows.map((row) => ({
      ...toHistoryEntry(row),
      ...(row.key !== '' && {serviceId: row.service_id, key: row.key}),
    }))
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    const [row] = await this.#read<{owner: string; renewed_at: number; ms: number}>('findHolder', [serviceId, key])
    const holder = row && readOwner(row.owner)
    return holder && !isLeaseFree(holder, row.renewed_at, row.ms) ? holder : undefined
  }

  async readRole(): Promise<JournalRole> {
    const [row] = await this.#read<JournalRole>('role', [])
    return row ?? {name: '', isOwner: true}
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#database.close()
  }

  protected override now(): number {
    return Date.now()
  }

  protected override get isAway(): boolean {
    return this.#database.isAway
  }

  // Such as a text that the database cannot store, or a decision that this role may not write.
  protected override isOfOne(error: unknown): boolean {
    const problem = toPostgresError(error instanceof Error ? error.cause : error, {isConnected: true})?.problem
    return problem === 'other' || problem === 'denied'
  }

  protected override async writeGroup(writes: readonly Write[]): Promise<Outcome[]> {
    const writeId = randomUUID()
    let last: GroupTry | undefined
    const write = async (query: Query) => {
      last = await writeGroup(query, writes, writeId, (...given) => this.applyWrite(...given))
      return last.outcomes
    }
    const readOutcome = async (query: Query) =>
      last && (await wasWritten(query, last, writeId)) ? {written: last.outcomes} : undefined
    return this.#wrap(() => this.#database.transact(write, {readOutcome}))
  }

  #read<R extends object>(name: StatementName, values: readonly SqlValue[]): Promise<R[]> {
    return this.#wrap(() => this.#database.read<R & Record<string, unknown>>(getStatement(name), values))
  }

  async #wrap<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw describePostgresFailure(this.#database.address, error)
    }
  }
}

const toTyped = (place: string, value: string | number) =>
  typeof value === 'number' ? `${place}::bigint` : `${place}::text`

function buildListQuery(filter: PaymentFilter): [statement: Statement, values: SqlValue[]] {
  const values: SqlValue[] = []
  const {where, order} = buildList(filter, {
    names: {serviceId: 'service_id', createdAt: 'created_at', transactionId: 'transaction_id'},
    bind: (value) => toTyped(`$${values.push(value)}`, value),
    bindAny: (column, wanted) => `${column} = any($${values.push(wanted)})`,
  })
  if (isOfAllServices(filter)) return [{text: listOfEveryService(where, order)}, values]
  const condition = where.length > 0 ? `where ${where.join(' and ')}` : ''
  const text = `select ${columns} from svc.payments ${condition} order by ${order}`
  // A worker asks for the payments of its rows all the time.
  const isForWorkers = filter.serviceId !== undefined && filter.keys !== undefined && where.length === 2
  return [{...(isForWorkers && {name: 'journal_listKeys'}), text}, values]
}
