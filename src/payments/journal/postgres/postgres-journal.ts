// The journal in a PostgreSQL database, shared by many hosts. Its clock is the database's. A commit whose answer was lost is read
// back first, and what cannot be found out is an error.
import {randomUUID} from 'node:crypto'
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
  buildStateConditions,
  decided,
  readDetail,
} from '../journal.ts'
import {type LeaseOwner, isLeaseFree, readOwner} from '../owner.ts'
import {type Outcome, QueuedJournal, type Write} from '../queued-journal.ts'
import {describePostgresFailure} from './failure.ts'
import {type StatementName, getStatement} from './statements.ts'
import {type GroupTry, type PaymentRow, readSpent, toPayment, wasWritten, writeGroup} from './write-group.ts'

type HistoryRow = {service_id: string; key: string; at: number; what: string; detail: string | null}

const toHistoryEntry = ({at, what, detail}: HistoryRow): HistoryEntry => ({
  at,
  what,
  ...(detail !== null && {detail: readDetail(detail)}),
})

// Closes its database when it is closed.
export class PostgresJournal extends QueuedJournal implements Journal {
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    super()
    this.#database = database
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    const [row] = await this.#read<PaymentRow>('find', [serviceId, key])
    return row && toPayment(row)
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

// The SQL that lists the payments of a filter in PostgreSQL.
const columns = 'payment, created_at, updated_at'
const newestFirst = 'created_at desc, key desc'
const newestOfAllFirst = `${newestFirst}, service_id desc`

// The newest of each service are found by the index, and the newest of those are the newest of all.
const ofEveryService = (where: string, limit: string) => `
  with recursive services (id) as (
    (select service_id from svc.payments order by service_id limit 1)
    union all
    select (select service_id from svc.payments where service_id > services.id order by service_id limit 1)
    from services where services.id is not null
  )
  select newest.payment, newest.created_at, newest.updated_at from services cross join lateral (
    select service_id, key, ${columns} from svc.payments where service_id = services.id${where} order by ${newestFirst} limit ${limit}
  ) as newest order by ${newestOfAllFirst} limit ${limit}`

function buildListQuery(filter: PaymentFilter): [statement: Statement, values: SqlValue[]] {
  const {serviceId, states, template, sinceMs, untilMs, lastSlots, transactionIds, keys, newestCount, after} = filter
  const values: SqlValue[] = []
  const bind = (value: SqlValue) => `$${values.push(value)}`
  const where = [
    ...(serviceId === undefined ? [] : [`service_id = ${bind(serviceId)}`]),
    ...(template === undefined ? [] : [`template = ${bind(template)}`]),
    ...(sinceMs === undefined ? [] : [`created_at >= ${bind(sinceMs)}`]),
    ...(untilMs === undefined ? [] : [`created_at < ${bind(untilMs)}`]),
    ...(lastSlots === undefined ? [] : [`slot < ${bind(lastSlots.before)}`]),
    ...(transactionIds === undefined ? [] : [`transaction_id = any(${bind(transactionIds)})`]),
    ...(keys === undefined ? [] : [`key = any(${bind(keys)})`]),
    ...buildStateConditions(states),
  ]
  if (after) {
    const [time, key, id] = [bind(after.createdAt), bind(after.key), bind(after.serviceId)]
    // The first condition is one that the index knows.
    where.push(
      `(created_at, key) <= (${time}::bigint, ${key}::text)`,
      `(created_at, key, service_id) < (${time}::bigint, ${key}::text, ${id}::text)`,
    )
  }
  if (newestCount !== undefined && serviceId === undefined && lastSlots === undefined) {
    const more = where.map((each) => ` and ${each}`).join('')
    return [{text: ofEveryService(more, bind(newestCount))}, values]
  }
  const order =
    lastSlots !== undefined
      ? `slot desc, key limit ${bind(lastSlots.count)}`
      : newestCount !== undefined
        ? `${newestFirst} limit ${bind(newestCount)}`
        : keys !== undefined
          ? 'key'
          : 'created_at, key'
  const condition = where.length > 0 ? `where ${where.join(' and ')}` : ''
  const text = `select ${columns} from svc.payments ${condition} order by ${order}`
  // A worker asks for the payments of its rows all the time.
  const isForWorkers = serviceId !== undefined && keys !== undefined && where.length === 2
  return [{...(isForWorkers && {name: 'journal_listKeys'}), text}, values]
}
