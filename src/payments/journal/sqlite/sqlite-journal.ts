// The journal in an SQLite file.
import fs from 'node:fs'
import {promisify} from 'node:util'
import {SvcError} from '../../../errors.ts'
import type {SqlValue} from '../../../storage/postgres/database.ts'
import {
  type SqliteAccess,
  SqliteConnection,
  type SqliteFormat,
  checkFileExists,
  getLogFile,
  openSqliteFile,
} from '../../../storage/sqlite.ts'
import {type SqliteProblem, diskFullHint, toSqliteFileError} from '../../../storage/sqlite-error.ts'
import {type ChainReader, fileChain, pickFileChain} from '../chain.ts'
import {type GroupChanges, type Outcome, type Write, applyGroup, buildReads} from '../group.ts'
import {JournalUnusable} from '../journal.ts'
import type {Read} from '../reads.ts'
import {StoredJournal} from '../stored-journal.ts'
import {type Dialect, type LeasedRow, type RowOf, type Table, createSchema, listColumns, nameTable} from '../tables.ts'

// Pages that the write-ahead log may grow to before a checkpoint, for which every writer waits.
const logPagesMax = 8_000

// A file with another version is rejected, not migrated.
const journalSchemaVersion = 11

// There is one chain, so its numbers are the numbers of the rows, and lines are written at the end
// of their table. The payments have row numbers too, so that payments of the same time share pages:
// a commit writes fewer of them.
export const sqliteDialect: Dialect = {
  prefix: '',
  types: {text: 'text', integer: 'integer'},
  options: {
    payments: 'strict',
    history: 'strict',
    chains: 'strict',
    spending: 'strict, without rowid',
    listProofs: 'strict, without rowid',
    unrecorded: 'strict, without rowid',
  },
  lineOrder: 'number',
  afterLine: 'number > $2',
  any: (place, {length}) => (length === 1 ? `= ${place}` : `in (select value from json_each(${place}))`),
  useIndex: (index) => `indexed by ${index}`,
  listItems: (place) => `json_each(${place})`,
  field: (column, name) => `${column} ->> '${name}'`,
  now: 'journal_now()',
}

export const journalSchema = createSchema(sqliteDialect, [fileChain])

// How long one process waits for another to finish its transaction.
const journalBusyWaitMs = 10_000

// Checking a larger file for every payment takes too long; damage in it is noticed when the damaged
// part is read.
const checkedPagesMax = 4_000

const journalFormat: SqliteFormat = {
  // "svcj" in ASCII.
  applicationId: 0x7376636a,
  schemaVersion: journalSchemaVersion,
  schema: journalSchema,
  description: 'a payment journal',
}

const hintDefault =
  'Repair it, or name another file with SVC_JOURNAL; another file does not know what this one has paid'

const newJournalWarning = 'which does not know what was paid'

const hints: Partial<Record<SqliteProblem, string>> = {
  busy: 'Try again when that process is done',
  diskFull: diskFullHint,
  newerSchema: 'Update svc',
  empty: `svc never leaves it empty, so its content was lost: restore it, or remove the file to begin a new journal, ${newJournalWarning}`,
  missing: `Restore it, or remove the files that are left of it to begin a new journal, ${newJournalWarning}`,
  unreadableLog: 'Copy both files to a folder where you can write, and name the copy with SVC_JOURNAL',
}

// Errors that are not about the file are returned unchanged.
function describeJournalFailure(file: string, error: unknown): unknown {
  if (error instanceof SvcError) return error
  // A payment that is not valid JSON.
  if (error instanceof SyntaxError) return new JournalUnusable(`The journal ${file} is damaged`, hintDefault, error)
  const failure = toSqliteFileError(file, error)
  if (!failure) return error
  const hint = hints[failure.problem] ?? hintDefault
  const problem = failure.problem === 'busy' ? 'busy' : undefined
  return new JournalUnusable(`The journal ${file} ${failure.reason}`, hint, error, problem)
}

const fdatasync = promisify(fs.fdatasync)

const connect = (file: string, access: SqliteAccess) => new SqliteConnection(file, journalBusyWaitMs, access)

// A file that cannot be written is opened for reading: what was paid, or may have been, is told all
// the same.
export function openJournalFile(file: string): SqliteConnection {
  try {
    return openSqliteFile(file, journalFormat, {connect, checkedPagesMax, isReadable: true})
  } catch (error) {
    throw describeJournalFailure(file, error)
  }
}

// Throws if the file is gone, but something of it is left.
export function hasJournalFile(file: string): boolean {
  try {
    return checkFileExists(file)
  } catch (error) {
    throw describeJournalFailure(file, error)
  }
}

const toBound = (value: SqlValue) =>
  (Array.isArray(value) ? (value.length === 1 ? value[0] : JSON.stringify(value)) : value) as string | number

// Lists are JSON, and a list of one is that one.
export const bindValues = (values: readonly SqlValue[]) => values.map(toBound)

export const toPlaces = (text: string) => text.replaceAll('$', '?')

function createInsert(table: Table, verb = 'insert') {
  const columns = listColumns(table)
  const [names, places] = [columns.map(({name}) => name), columns.map(() => '?')]
  const text = `${verb} into ${nameTable(table)} (${names.join(', ')}) values (${places.join(', ')})`
  return (connection: SqliteConnection, row: Readonly<Record<string, string | number | null>>) =>
    connection.run(text, ...columns.map(({field}) => row[field] ?? null))
}

const insertPayment = createInsert('payments')
const insertLine = createInsert('history')
const replaceSum = createInsert('spending', 'insert or replace')
const replaceProof = createInsert('listProofs', 'insert or replace')
const addUnrecorded = createInsert('unrecorded', 'insert or ignore')
const paymentColumns = listColumns('payments') as ReadonlyArray<{field: keyof LeasedRow; name: string}>

export class SqliteJournal extends StoredJournal {
  readonly #connection: SqliteConnection
  readonly #file: string
  readonly #now: () => number
  #log: number | undefined
  // The sync that was asked for last, and the one that has yet to begin, if any.
  #syncing = Promise.resolve()
  #nextSync: Promise<void> | undefined
  // After a failed commit or sync the system may drop what was written before it, so every later
  // write fails as well.
  #failure: {cause: unknown} | undefined

  constructor(connection: SqliteConnection, file: string, now: () => number) {
    super(sqliteDialect, pickFileChain, now)
    this.#connection = connection
    this.#file = file
    this.#now = now
    connection.database.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${logPagesMax}`)
    connection.database.function('journal_now', now)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#syncing.catch(() => {})
    this.#connection.close()
    if (this.#log !== undefined) fs.closeSync(this.#log)
    this.#log = undefined
  }

  protected override async read<Row extends object>(read: Read): Promise<Row[]> {
    return this.#connection.retryWhileBusy(() => this.#all(read)) as Row[]
  }

  // Whole numbers are read as big ones, since somebody may have written one that is too large for
  // JavaScript.
  override async readChains<T>(work: (reader: ChainReader) => Promise<T>): Promise<T> {
    const {database} = this.#connection
    const toNumber = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
    const read = async <Row extends object>({text, values}: Read): Promise<Row[]> => {
      const statement = database.prepare(toPlaces(text))
      statement.setReadBigInts(true)
      return statement
        .all(...bindValues(values))
        .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNumber(value)])) as Row)
    }
    try {
      database.exec('begin')
      return await work({chains: [fileChain], pickChain: pickFileChain, reads: this.reads, read})
    } catch (error) {
      throw this.describeFailure(error)
    } finally {
      this.#rollBack()
    }
  }

  protected override describeFailure(error: unknown): unknown {
    return describeJournalFailure(this.#file, error)
  }

  protected override isOfOne(): boolean {
    return false
  }

  // The write lock is taken at the start, so that nothing that was read changes before the write. A
  // lease outlives the process when the transaction ends; what must outlive a power cut is synced
  // after it, with everything before it.
  protected override async writeGroup(writes: readonly Write[]): Promise<Outcome[]> {
    if (this.#failure) throw this.#failure.cause
    let isWhole = false
    try {
      this.#connection.retryWhileBusy(() => this.#connection.run('begin immediate'))
      const reads = Object.entries(buildReads(writes, this.reads, pickFileChain))
      const found = Object.fromEntries(reads.map(([name, read]) => [name, this.#all(read)]))
      const changes = applyGroup(writes, found, this.#now(), pickFileChain)
      this.#store(changes)
      isWhole = true
      this.#connection.run('commit')
      return changes.outcomes
    } catch (error) {
      if (isWhole) this.#failure = {cause: error}
      this.#rollBack()
      throw error
    }
  }

  protected override async storeProof(
    proof: RowOf<'listProofs'>,
    unrecorded: ReadonlyArray<RowOf<'unrecorded'>>,
  ): Promise<void> {
    if (this.#failure) throw this.#failure.cause
    try {
      this.#connection.retryWhileBusy(() => this.#connection.run('begin immediate'))
      for (const row of unrecorded) addUnrecorded(this.#connection, row)
      replaceProof(this.#connection, proof)
      this.#connection.run('commit')
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  // While a sync runs, other writes may commit. They all wait for the next one.
  protected override sync(): Promise<void> {
    this.#nextSync ??= this.#syncing.then(() => this.#syncLog())
    this.#syncing = this.#nextSync
    return this.#nextSync
  }

  async #syncLog(): Promise<void> {
    this.#nextSync = undefined
    try {
      this.#log ??= fs.openSync(getLogFile(this.#connection.file), 'r+')
      await fdatasync(this.#log)
    } catch (cause) {
      this.#failure = {cause}
      throw cause
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

  #all({text, values}: Read) {
    return this.#connection.prepare(toPlaces(text)).all(...bindValues(values))
  }

  #store({inserted, updated, lines, heads, sums}: GroupChanges): void {
    for (const row of inserted) insertPayment(this.#connection, row)
    for (const {before, after} of updated) this.#update(before, after)
    for (const line of lines) insertLine(this.#connection, line)
    for (const sum of sums) replaceSum(this.#connection, sum)
    for (const {chain, number, hash} of heads) {
      this.#connection.run('update chains set number = ?, hash = ? where chain = ?', number, hash, chain)
    }
  }

  // Most changes leave the indexed values as they are, and an update that does not mention them
  // leaves the indexes alone.
  #update(before: LeasedRow, after: LeasedRow): void {
    const changed = paymentColumns.filter(({field}) => before[field] !== after[field])
    if (changed.length === 0) return
    const assignments = changed.map(({name}) => `${name} = ?`).join(', ')
    const values = changed.map(({field}) => after[field])
    const text = `update payments set ${assignments} where service_id = ? and key = ?`
    this.#connection.run(text, ...values, after.serviceId, after.key)
  }
}
