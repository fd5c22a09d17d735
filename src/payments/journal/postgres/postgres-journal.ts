// The journal in a PostgreSQL database, shared by many hosts. Its clock is the database's. A commit
// whose answer was lost is read back first, and what cannot be found out is an error.
// A group takes four round trips: the locks, all that it reads, all that it writes, and the commit.
import {setImmediate as nextTurn} from 'node:timers/promises'
import {type JournalRole, policySubject} from '../../../controls/decisions.ts'
import type {PostgresDatabase, Query, SqlValue, Statement} from '../../../storage/postgres/database.ts'
import {toPostgresError} from '../../../storage/postgres/postgres-error.ts'
import type {SchemaPart} from '../../../storage/postgres/schema-parts.ts'
import type {Payment} from '../../protocol/payment.ts'
import {
  type ChainEntry,
  type ChainHead,
  type ChainReader,
  databaseChains,
  digestText,
  fileChain,
  pickDatabaseChain,
} from '../chain.ts'
import {
  type Found,
  type GroupChanges,
  type Outcome,
  type Write,
  applyGroup,
  buildReads,
  listChains,
  listLocks,
} from '../group.ts'
import {type Read, Reads} from '../reads.ts'
import type {SpendingRow} from '../spending.ts'
import {StoredJournal} from '../stored-journal.ts'
import {type Dialect, type LeasedRow, type RowOf, type Table, createSchema, listColumns, toPayment} from '../tables.ts'
import {describePostgresFailure} from './failure.ts'

const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

// Text is compared byte by byte, as SQLite does.
// Hosts lock the row of a chain while they append to it, so rows have room to be updated in place.
export const postgresDialect: Dialect = {
  prefix: 'svc.',
  types: {text: 'text collate "C"', integer: 'bigint'},
  options: {
    payments: 'with (fillfactor = 80)',
    history: '',
    chains: 'with (fillfactor = 10)',
    spending: 'with (fillfactor = 50)',
    listProofs: '',
    unrecorded: '',
  },
  lineOrder: 'chain, number',
  afterLine: '(chain, number) > ($1, $2)',
  any: (place, _, type = 'text') => `= any(${place}::${type}[])`,
  useIndex: () => '',
  listItems: (place) => `json_array_elements(${place}::json)`,
  field: (column, name) => `${column}::json ->> '${name}'`,
  now,
}

const allChains = Array.from({length: databaseChains + 1}, (_, index) => fileChain + index)

// The owner of the journal is not bound by the policies. Everybody else may read and add to the
// history, but not change it, nor add versions of a policy.
const policies = `
alter table svc.history enable row level security;
create policy history_read on svc.history for select using (true);
create policy history_add on svc.history for insert
  with check (not (service_id = '${policySubject.serviceId}' and key = '${policySubject.key}'));
`

export const journalPart: SchemaPart = {
  name: 'journal',
  version: 3,
  schema: createSchema(postgresDialect, allChains) + policies,
}

// A statement with a name is prepared once per connection. Its name follows from its text.
const toStatement = (text: string): Statement => ({name: `journal_${digestText(text).slice(0, 16)}`, text})

const lockKeyLength = 16

// Everybody takes the locks in the same order, so that nobody waits for each other. They end with
// the transaction.
function buildLock(locks: readonly string[]): string {
  const keys = locks.map((lock) => digestText(`svc ${lock}`).slice(0, lockKeyLength)).toSorted()
  const numbers = keys.map((key) => BigInt.asIntN(64, BigInt(`0x${key}`)))
  return `select pg_advisory_xact_lock(key) from unnest('{${numbers.join(',')}}'::bigint[]) as locks (key)`
}

// The last locks that a transaction takes, in one order for everybody. They are taken before
// anything is read, since what is read is as it was when the statement began.
const buildChainLock = (chains: readonly number[]): string =>
  `select from svc.chains where chain in (${chains.join(', ')}) order by chain for update`

function combineReads(reads: Readonly<Record<string, Read>>): {text: string; values: SqlValue[]} {
  const values: SqlValue[] = []
  const parts = Object.values(reads).map((read, index) => {
    const text = read.text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${values.length + Number(place)}`)
    values.push(...read.values)
    return {
      as: `r${index} as (${text})`,
      rows: `(select coalesce(json_agg(r${index}), '[]') from r${index}) as r${index}`,
    }
  })
  const from = parts.length === 0 ? '' : `with ${parts.map((part) => part.as).join(', ')}`
  return {text: `${from} select ${[...parts.map(({rows}) => rows), `${now} as ms`].join(', ')}`, values}
}

const buildRecords = (table: Table, place: string) => {
  const types = listColumns(table).map(
    ({field, definition}) => `"${field}" ${definition.startsWith('text') ? 'text' : 'bigint'}`,
  )
  return `json_to_recordset(${place}::json) as r (${types.join(', ')})`
}

const listNames = (table: Table) => listColumns(table).map(({name}) => name)
const listSelected = (table: Table) => listColumns(table).map(({field}) => `r."${field}"`)

// $1 new payments, $2 changed ones, $3 lines, $4 sums, $5 heads, as JSON
const write = toStatement(`
  with inserted as (
    insert into svc.payments (${listNames('payments').join(', ')})
    select ${listSelected('payments').join(', ')} from ${buildRecords('payments', '$1')}
  ),
  changed as (
    update svc.payments as row set ${listColumns('payments')
      .map(({field, name}) => `${name} = r."${field}"`)
      .join(', ')}
    from ${buildRecords('payments', '$2')} where row.service_id = r."serviceId" and row.key = r.key
  ),
  logged as (
    insert into svc.history (${listNames('history').join(', ')})
    select ${listSelected('history').join(', ')} from ${buildRecords('history', '$3')}
  ),
  summed as (
    insert into svc.spending (${listNames('spending').join(', ')})
    select ${listSelected('spending').join(', ')} from ${buildRecords('spending', '$4')}
    on conflict (service_id, currency, day, chain) do update set amount = excluded.amount, unknown = excluded.unknown
  )
  update svc.chains as head set number = r.number, hash = r.hash from ${buildRecords('chains', '$5')}
  where head.chain = r.chain`)

// $1 the proof of a list, $2 what it has shown and the journal has not recorded, as JSON
const storeList = toStatement(`
  with kept as (
    insert into svc.unrecorded (${listNames('unrecorded').join(', ')})
    select ${listSelected('unrecorded').join(', ')} from ${buildRecords('unrecorded', '$2')}
    on conflict do nothing
  )
  insert into svc.list_proofs (${listNames('listProofs').join(', ')})
  select ${listSelected('listProofs').join(', ')} from ${buildRecords('listProofs', '$1')}
  on conflict (service_id, customer_id) do update
  set ${listNames('listProofs')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`)

interface StoredChanges {
  inserted?: readonly LeasedRow[]
  changed?: readonly LeasedRow[]
  lines?: readonly ChainEntry[]
  sums?: readonly SpendingRow[]
  heads?: readonly ChainHead[]
}

export const storeChanges = (
  query: Query,
  {inserted = [], changed = [], lines = [], sums = [], heads = []}: StoredChanges,
) =>
  query(
    write,
    [inserted, changed, lines, sums, heads].map((rows) => JSON.stringify(rows)),
  )

export const createChainReader = (query: Query): ChainReader => ({
  chains: allChains,
  pickChain: pickDatabaseChain,
  reads: new Reads(postgresDialect),
  read: ({text, values}) => query(toStatement(text), values),
})

export class PostgresJournal extends StoredJournal {
  readonly #database: PostgresDatabase
  #search: {keys: Set<string>; found: Promise<Payment[]>} | undefined

  constructor(database: PostgresDatabase) {
    super(postgresDialect, pickDatabaseChain, () => Date.now())
    this.#database = database
  }

  // Payments that are looked for in the same turn are found by one statement.
  override async findByKey(key: string): Promise<Payment[]> {
    this.#search ??= this.#startSearch(new Set())
    this.#search.keys.add(key)
    return (await this.#search.found).filter((payment) => payment.key === key)
  }

  #startSearch(keys: Set<string>) {
    const read = async () => {
      await nextTurn()
      this.#search = undefined
      return this.select(this.reads.payments([...keys]), toPayment)
    }
    return {keys, found: read()}
  }

  async readRole(): Promise<JournalRole> {
    const text = `select current_user as name, pg_has_role(current_user, relowner, 'member') as "isOwner"
      from pg_class where oid = 'svc.history'::regclass`
    const [row] = await this.select({text, values: []}, (role: JournalRole) => role)
    return row ?? {name: '', isOwner: true}
  }

  async withDatabase<T>(work: (database: PostgresDatabase) => Promise<T>): Promise<T> {
    try {
      return await work(this.#database)
    } catch (error) {
      throw this.describeFailure(error)
    }
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#database.close()
  }

  protected override read<Row extends object>({text, values}: Read): Promise<Row[]> {
    return this.#database.read<Row & Record<string, unknown>>(toStatement(text), values)
  }

  protected override async storeProof(
    proof: RowOf<'listProofs'>,
    unrecorded: ReadonlyArray<RowOf<'unrecorded'>>,
  ): Promise<void> {
    const values = [[proof], unrecorded].map((rows) => JSON.stringify(rows))
    const begin = 'set local synchronous_commit = off'
    await this.#database.transact((query) => query(storeList, values), {begin, isRepeatable: true})
  }

  override async readChains<T>(work: (reader: ChainReader) => Promise<T>): Promise<T> {
    const begin = 'set transaction isolation level repeatable read, read only'
    try {
      return await this.#database.transact((query) => work(createChainReader(query)), {begin, isRepeatable: true})
    } catch (error) {
      throw this.describeFailure(error)
    }
  }

  protected override describeFailure(error: unknown): unknown {
    return describePostgresFailure(this.#database.address, error)
  }

  // Examples are a text that the database cannot store, or a decision that this role may not write.
  protected override isOfOne(error: unknown): boolean {
    const problem = toPostgresError(error, {isConnected: true})?.problem
    return problem === 'other' || problem === 'denied'
  }

  protected override async writeGroup(writes: readonly Write[]): Promise<Outcome[]> {
    const chains = listChains(writes, pickDatabaseChain)
    const lock = [buildLock(listLocks(writes)), ...(chains.length > 0 ? [buildChainLock(chains)] : [])].join('; ')
    const reads = buildReads(writes, this.reads, pickDatabaseChain)
    const {text, values} = combineReads(reads)
    let last: GroupChanges | undefined
    const work = async (query: Query) => {
      const [row] = await query<{ms: number} & Record<string, object[]>>(toStatement(text), values)
      const found: Found = Object.fromEntries(Object.keys(reads).map((name, index) => [name, row?.[`r${index}`] ?? []]))
      last = applyGroup(writes, found, row?.ms ?? 0, pickDatabaseChain)
      const {inserted, updated, lines, sums, heads} = last
      const changed = updated.map(({after}) => after)
      if (inserted.length + changed.length + lines.length > 0)
        await storeChanges(query, {inserted, changed, lines, sums, heads})
      return last.outcomes
    }
    // A line stays for ever, so it tells whether a try was written although its commit was not
    // answered. The locks wait for a transaction that is still under way. A group without lines
    // does the same when it is written twice.
    const readOutcome = async (query: Query) => {
      const [line] = last?.lines ?? []
      if (!last || !line) return undefined
      await query({text: lock})
      const {text: select, values: place} = this.reads.line(line)
      const [found] = await query<{hash: string}>({text: select}, place)
      return found?.hash === line.hash ? {written: last.outcomes} : undefined
    }
    const begin = writes.some(({isDurable}) => isDurable) ? lock : `set local synchronous_commit = off; ${lock}`
    return this.#database.transact(work, {begin, readOutcome})
  }
}
