// The journal in a PostgreSQL database, shared by many hosts. Its clock is the database's. A write is durable when the call
// resolves; a commit whose answer was lost is read back first, and what cannot be found out is an error.
import {randomUUID} from 'node:crypto'
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import type {PostgresDatabase, Query, SqlValue, Statement} from '../../../storage/postgres/database.ts'
import {pickDatabaseChain} from '../chain.ts'
import {type Payment, spendingStates} from '../../protocol/payment.ts'
import {
  type AcquiredLease,
  type CommitCheck,
  type Decision,
  type DecisionEntry,
  type Entry,
  type HistoryEntry,
  type Intent,
  type Journal,
  type JournalRole,
  type Lease,
  LeaseLost,
  type LeaseOwner,
  type PaidToQuery,
  type Payee,
  type PaymentFilter,
  buildStateConditions,
  decided,
  hasEnded,
  timeMax,
  toDecisionLine,
  toPaymentText,
  readOwner,
} from '../journal.ts'
import {describePostgresFailure} from './failure.ts'
import {getSpendingValues, readFindings} from './findings.ts'
import {
  type HistoryRow,
  type PaymentRow,
  getChangedValues,
  getCreatedValues,
  getEntryValues,
  getStatement,
  toDecisionEntry,
  toHistoryEntry,
  toPayment,
} from './statements.ts'

interface LeaseRow extends PaymentRow {
  owner: string | null
  // Null if the lease is held by another process.
  epoch: number | null
  write_id: string
}

// Writes of one lease that nobody answered, and that may still arrive.
const lateWritesMax = 5

export const leaseLost = ({key}: Lease) => new LeaseLost(`another process has taken over ${key}`)

const nameHolder = ({serviceId, key, owner}: Omit<Lease, 'epoch'>) => JSON.stringify([serviceId, key, owner.run])

const nameLease = ({serviceId, key, epoch}: Lease) => JSON.stringify([serviceId, key, epoch])

// Closes its database when it is closed.
export class PostgresJournal implements Journal {
  readonly #database: PostgresDatabase
  // The last write of each lease that is held. The next one depends on it, so that one that arrives late changes nothing.
  readonly #writes = new Map<string, string>()

  // The write with which each lease that is held was taken.
  readonly #acquisitions = new Map<string, string>()
  // The leases that could not be returned, since the database was away. This process may take them again.
  readonly #unreturned = new Set<string>()

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  // For leases that were taken otherwise than by acquireLease().
  protected keepLease(lease: Lease, writeId: string): void {
    this.#writes.set(nameLease(lease), writeId)
    this.#acquisitions.set(nameLease(lease), writeId)
  }

  protected getLastWrite(lease: Lease): string | undefined {
    return this.#writes.get(nameLease(lease))
  }

  protected forgetLease(lease: Lease): void {
    this.#writes.delete(nameLease(lease))
    this.#acquisitions.delete(nameLease(lease))
  }

  // Lets this process take a lease again that may be in the database.
  protected markUnreturned(lease: Lease): void {
    this.#unreturned.add(nameHolder(lease))
  }

  async findOrCreate(intent: Intent): Promise<Payment> {
    const values = getCreatedValues(intent, randomUUID())
    const [created] = await this.wrap(() =>
      this.#database.write<PaymentRow>(getStatement('create'), values, {isRepeatable: true}),
    )
    if (created) return toPayment(created)
    const found = await this.find(intent.serviceId, intent.key)
    if (found) return found
    throw new Error(`no payment ${intent.key}, though it exists`)
  }

  async find(serviceId: string, key: string): Promise<Payment | undefined> {
    const [row] = await this.#read<PaymentRow>('find', [serviceId, key])
    return row && toPayment(row)
  }

  async list(filter: PaymentFilter): Promise<Payment[]> {
    const rows = await this.wrap(() => this.#database.read<PaymentRow>(...buildListQuery(filter)))
    return rows.map(toPayment)
  }

  async findElsewhere(serviceId: string, key: string): Promise<Payment[]> {
    const rows = await this.#read<PaymentRow>('elsewhere', [serviceId, key])
    return rows.map(toPayment)
  }

  async listSpentSince(serviceId: string, sinceMs: number, createdBeforeMs = timeMax): Promise<Payment[]> {
    const rows = await this.#read<PaymentRow>('spentSince', [serviceId, sinceMs, spendingStates, createdBeforeMs])
    return rows.map(toPayment)
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
    const rows = await this.#read<HistoryRow>('history', [serviceId, key])
    return rows.map(toHistoryEntry)
  }

  async recordDecision(decision: Decision): Promise<void> {
    const {serviceId, key, entry} = toDecisionLine(decision)
    await this.#write('decide', [serviceId, key, ...getEntryValues(serviceId, key, entry)])
  }

  async readRole(): Promise<JournalRole> {
    const [row] = await this.#read<{name: string; isOwner: boolean}>('role', [])
    return row ?? {name: '', isOwner: true}
  }

  async listDecisions(): Promise<DecisionEntry[]> {
    const rows = await this.#read<HistoryRow>('decisions', [decided])
    return rows.map(toDecisionEntry)
  }

  async listSpentAmounts(serviceId: string, key: string, query: SpendingQuery): Promise<string[]> {
    const rows = await this.#read<{amount: string}>('spent', getSpendingValues(serviceId, key, query))
    return rows.map(({amount}) => amount)
  }

  async acquireLease(serviceId: string, key: string, owner: LeaseOwner): Promise<AcquiredLease | {heldBy: LeaseOwner}> {
    const first = await this.#tryAcquire(serviceId, key, owner, null)
    // The database cannot know that a process of this machine has ended.
    const isEnded = first.epoch === null && first.owner !== null && this.#hasEnded(serviceId, key, first.owner)
    const row = isEnded ? await this.#tryAcquire(serviceId, key, owner, first.owner) : first
    if (row.epoch === null) return {heldBy: readOwner(row.owner ?? '{}')}
    const lease = {serviceId, key, epoch: row.epoch, owner}
    this.#writes.set(nameLease(lease), row.write_id)
    this.#acquisitions.set(nameLease(lease), row.write_id)
    this.#unreturned.delete(nameHolder(lease))
    return {lease, payment: toPayment(row)}
  }

  // The process has ended, or it is this one and is done with the payment.
  #hasEnded(serviceId: string, key: string, holder: string): boolean {
    const owner = readOwner(holder)
    return hasEnded(owner) || this.#unreturned.has(nameHolder({serviceId, key, owner}))
  }

  async #tryAcquire(serviceId: string, key: string, owner: LeaseOwner, endedOwner: string | null): Promise<LeaseRow> {
    const writeId = randomUUID()
    const findOwn = async (query: Query) => {
      const [row] = await query<LeaseRow>(getStatement('findWrite'), [serviceId, key])
      return row?.write_id === writeId ? {written: [row]} : undefined
    }
    const values = [serviceId, key, JSON.stringify(owner), writeId, endedOwner, pickDatabaseChain(serviceId, key)]
    const [row] = await this.wrap(() =>
      this.#database.write<LeaseRow>(getStatement('acquire'), values, {readOutcome: findOwn}),
    )
    if (!row) throw new Error(`no payment ${key} to lease`)
    // The statement arrived after it was repeated.
    if (row.epoch === null && row.write_id === writeId) {
      const [own] = await this.#read<LeaseRow>('findWrite', [serviceId, key])
      if (own?.write_id === writeId) return own
    }
    return row.epoch === null ? row : {...row, write_id: writeId}
  }

  async renewLease(lease: Lease): Promise<void> {
    const {serviceId, key, epoch} = lease
    const held = await this.#write('renew', [serviceId, key, epoch])
    if (held.length === 0) throw leaseLost(lease)
  }

  async releaseLease(lease: Lease): Promise<void> {
    const {serviceId, key, epoch} = lease
    const writeId = this.#acquisitions.get(nameLease(lease)) ?? randomUUID()
    this.#writes.delete(nameLease(lease))
    this.#acquisitions.delete(nameLease(lease))
    this.#unreturned.add(nameHolder(lease))
    // Whoever waited for the database in vain does not wait once more for this: the lease ends with the process.
    if (this.#database.isAway) return
    await this.#write('release', [serviceId, key, epoch, writeId])
    this.#unreturned.delete(nameHolder(lease))
  }

  async findLeaseHolder(serviceId: string, key: string): Promise<LeaseOwner | undefined> {
    const [row] = await this.#read<{owner: string}>('findHolder', [serviceId, key])
    const holder = row && readOwner(row.owner)
    return holder && !hasEnded(holder) ? holder : undefined
  }

  async commit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment> {
    const isKnown = this.#writes.has(nameLease(lease))
    for (let attempt = 1; ; attempt++) {
      const changed = await this.#tryCommit(lease, payment, entry, check)
      if (changed) return changed
      // A write before it that nobody answered may have arrived after its row was read.
      if (isKnown || attempt === lateWritesMax) throw leaseLost(lease)
    }
  }

  // The write that a change follows. After one that nobody answered, the row itself tells.
  async #findLastWrite(lease: Lease): Promise<string> {
    const known = this.#writes.get(nameLease(lease))
    if (known !== undefined) return known
    const [row] = await this.#read<LeaseRow>('findWrite', [lease.serviceId, lease.key])
    if (row?.epoch !== lease.epoch || row.owner === null) throw leaseLost(lease)
    return row.write_id
  }

  // Undefined if the row is not the one that was read any more.
  async #tryCommit(lease: Lease, payment: Payment, entry: Entry, check?: CommitCheck): Promise<Payment | undefined> {
    const {serviceId, key, epoch} = lease
    const name = nameLease(lease)
    const writeId = randomUUID()
    const text = toPaymentText(payment)
    const values = [
      serviceId,
      key,
      epoch,
      await this.#findLastWrite(lease),
      ...getChangedValues(payment, text, writeId),
      payment.updatedAt,
      ...getEntryValues(serviceId, key, entry, text),
    ]
    const findOwn = async (query: Query) => {
      const [row] = await query<LeaseRow>(getStatement('findWrite'), [serviceId, key])
      return row?.write_id === writeId ? {written: [row]} : undefined
    }
    const write = (query: Query) => query<PaymentRow>(getStatement('commit'), values)
    const run = () =>
      check
        ? this.#database.transact(
            async (query) => {
              check.judge(await readFindings(query, lease, check))
              return write(query)
            },
            {readOutcome: findOwn},
          )
        : this.#database.write<PaymentRow>(getStatement('commit'), values, {readOutcome: findOwn})
    // Until the write is known, the next one has to look at the row.
    this.#writes.delete(name)
    const [changed] = await this.wrap(run)
    // If the reply was lost and the statement was sent again, the first one may have made the change.
    const row =
      changed ?? (await this.#read<LeaseRow>('findWrite', [serviceId, key])).find((each) => each.write_id === writeId)
    if (!row) return undefined
    this.#writes.set(name, writeId)
    return {...payment, updatedAt: row.updated_at}
  }

  // Every commit is durable when it resolves.
  async flush(_what?: 'armed'): Promise<void> {}

  close(): Promise<void> {
    return this.#database.close()
  }

  #read<R extends object>(name: Parameters<typeof getStatement>[0], values: readonly SqlValue[]): Promise<R[]> {
    return this.wrap(() => this.#database.read<R & Record<string, unknown>>(getStatement(name), values))
  }

  // For statements that do the same when they are repeated.
  #write(name: Parameters<typeof getStatement>[0], values: readonly SqlValue[]): Promise<object[]> {
    return this.wrap(() => this.#database.write(getStatement(name), values, {isRepeatable: true}))
  }

  protected async wrap<T>(work: () => Promise<T>): Promise<T> {
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
