// Opens the SQLite file of a store: private to its owner, marked as ours, versioned, durable, shared by several processes.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementResultingChanges,
  type StatementSync,
} from 'node:sqlite'
import {pathToFileURL} from 'node:url'
import {getSystemCode} from '../errors.ts'
import {SqliteFileError, type SqliteProblem, retryWhileBusy, toSqliteFileError} from './sqlite-error.ts'
import {checkReplaceable, createPrivateFile, ensurePrivateMode, rejectOpenFolders} from './private-file.ts'

export const inMemory = ':memory:'

// Tuning for personal data: what is deleted does not stay in the free pages of the file.
export const overwriteDeleted = 'pragma secure_delete = on'

export interface SqliteFormat {
  // Marks a file as one of this store, so that svc never writes into another application's database.
  applicationId: number
  // A file with another version is rejected. There are no migrations, because no version was released yet.
  schemaVersion: number
  schema: string
  // What such a file is, with its article: "a sandbox".
  description: string
}

export interface SqliteOpenOptions<Connection extends SqliteConnection> {
  connect: (file: string, access: SqliteAccess) => Connection
  // Statements that tune the connection, such as the size of its cache.
  tuning?: string
  // Fills a new database, in the transaction that creates its tables.
  initialize?: (connection: Connection) => void
  // A file of at most this many pages is checked for damage when it is opened.
  checkedPagesMax?: number
  // Where the file cannot be written, as on a full disk, it is opened to be read, and every write fails.
  isReadable?: boolean
}

// Immutable means that nobody changes the file, so that it is read without locks and without a write-ahead log.
export type SqliteAccess = 'readWrite' | 'immutable'

function toImmutableUrl(file: string): URL {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url
}

export class SqliteConnection {
  readonly file: string
  readonly database: DatabaseSync
  readonly #busyWaitMs: number
  readonly #statements = new Map<string, PreparedStatement>()

  constructor(file: string, busyWaitMs: number, access: SqliteAccess = 'readWrite') {
    this.file = file
    this.#busyWaitMs = busyWaitMs
    this.database = new DatabaseSync(access === 'immutable' ? toImmutableUrl(file) : file, {
      timeout: busyWaitMs,
      readOnly: access !== 'readWrite',
    })
  }

  // Statements are prepared once and then reused.
  prepare(sql: string): PreparedStatement {
    const prepared = this.#statements.get(sql)
    if (prepared) return prepared
    const statement = new PreparedStatement(this.database, sql)
    this.#statements.set(sql, statement)
    return statement
  }

  // The caller names the type of the row beside the query that selects it.
  one<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values) as Row[]
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.prepare(sql).run(...values)
  }

  // Returns the number of the new row. A returning clause would take three times as long.
  insert(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).lastInsertRowid)
  }

  // All or nothing. The write lock is taken at the start, so that what was read is still true when it is written.
  transact<T>(work: () => T): T {
    this.retryWhileBusy(() => this.run('begin immediate'))
    try {
      const result = work()
      this.run('commit')
      return result
    } finally {
      if (this.database.isTransaction) this.database.exec('rollback')
    }
  }

  retryWhileBusy<T>(attempt: () => T): T {
    return retryWhileBusy(this.#busyWaitMs, attempt)
  }

  readPragma(pragma: string): unknown {
    return Object.values(this.database.prepare(`pragma ${pragma}`).get() ?? {})[0]
  }

  // Prepared statements keep an attached database open, so they are dropped before it is detached.
  forgetStatements(): void {
    this.#statements.clear()
  }

  close(): void {
    this.forgetStatements()
    if (this.database.isOpen) this.database.close()
  }
}

// Throws if the file is not of this format. Nothing is written, not even a mode, before that is known.
function checkFormat(connection: SqliteConnection, {applicationId, schemaVersion, description}: SqliteFormat): void {
  const {file} = connection
  const {count = 0} = connection.one<{count: number}>('select count(*) as count from sqlite_schema') ?? {}
  const [foundId, version] = [connection.readPragma('application_id'), Number(connection.readPragma('user_version'))]
  // No process ever finds a new file without its tables, so an empty one has lost its content.
  if (count === 0 && foundId === 0) throw new SqliteFileError(file, 'empty', 'is empty')
  if (foundId !== applicationId) {
    throw new SqliteFileError(file, 'otherApplication', `is a database, but not ${description}`)
  }
  if (version === schemaVersion) return
  const [problem, age] =
    version > schemaVersion ? (['newerSchema', 'a newer'] as const) : (['olderSchema', 'an older'] as const)
  const versions = `schema ${version}; this svc knows ${schemaVersion}`
  throw new SqliteFileError(file, problem, `was written by ${age} svc (${versions})`)
}

function fillDatabase<Connection extends SqliteConnection>(
  connection: Connection,
  {schema, applicationId, schemaVersion}: SqliteFormat,
  {initialize}: SqliteOpenOptions<Connection>,
): void {
  connection.transact(() => {
    connection.database.exec(
      `${schema}; pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}`,
    )
    initialize?.(connection)
  })
}

function prepareFile<Connection extends SqliteConnection>(
  connection: Connection,
  format: SqliteFormat,
  {tuning = '', checkedPagesMax = 0}: SqliteOpenOptions<Connection>,
  access: SqliteAccess,
): void {
  const {file, database} = connection
  connection.retryWhileBusy(() => checkFormat(connection, format))
  if (access !== 'readWrite') return
  ensurePrivateMode(file)
  if (connection.retryWhileBusy(() => connection.readPragma('journal_mode = wal')) !== 'wal') {
    throw new SqliteFileError(file, 'noWriteAheadLog', 'is on a file system without support for a write-ahead log')
  }
  database.exec(`pragma synchronous = full; ${tuning}`)
  if (checkedPagesMax === 0 || Number(connection.readPragma('page_count')) > checkedPagesMax) return
  if (connection.retryWhileBusy(() => connection.readPragma('quick_check(1)')) !== 'ok') {
    throw new SqliteFileError(file, 'damaged', 'is damaged')
  }
}

// Throws a SqliteFileError if the file cannot be used.
export function openSqliteFile<Connection extends SqliteConnection>(
  named: string,
  format: SqliteFormat,
  options: SqliteOpenOptions<Connection>,
): Connection {
  const file = named === inMemory ? named : path.resolve(named)
  const connect = (name: string, access: SqliteAccess, prepare: (connection: Connection) => void): Connection => {
    const connection = options.connect(name, access)
    try {
      prepare(connection)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }
  const fill = (connection: Connection) => fillDatabase(connection, format, options)
  const open = (access: SqliteAccess) => {
    // SQLite reads a write-ahead log only with its index (-shm) beside it, which it may not be able to create here. Without any
    // log, as after a clean end, the file alone is complete and is read as one that nobody changes.
    if (access === 'immutable' && fs.statSync(getLogFile(file), {throwIfNoEntry: false})?.size) {
      const reason = `has changes in ${getLogFile(file)} that cannot be read here, because nothing can be written beside it`
      throw new SqliteFileError(file, 'unreadableLog', reason)
    }
    return connect(file, access, (connection) => prepareFile(connection, format, options, access))
  }
  try {
    if (file === inMemory) return connect(file, 'readWrite', fill)
    rejectOpenFolders(file)
    // SQLite would follow a link in place of its side files, and write to what it names.
    for (const ending of ['-wal', '-shm', '-journal']) checkReplaceable(`${file}${ending}`)
    if (!checkFileExists(file)) createWholeFile(file, (draft) => connect(draft, 'readWrite', fill).close())
    try {
      return open('readWrite')
    } catch (error) {
      if (!options.isReadable || !isUnwritable(file, error)) throw error
    }
    return open('immutable')
  } catch (error) {
    throw toSqliteFileError(file, error) ?? error
  }
}

// What a file system without space, or one that is mounted read-only, answers to the first write of SQLite. A damaged disk
// may answer the same, and fails the reads too.
const unwritableProblems: ReadonlySet<SqliteProblem> = new Set([
  'readOnly',
  'inputOutput',
  'diskFull',
  'cannotOpen',
  'cannotCreate',
])

function isUnwritable(file: string, error: unknown): boolean {
  const problem = toSqliteFileError(file, error)?.problem
  return problem !== undefined && unwritableProblems.has(problem)
}

type SqliteRow = Record<string, SQLOutputValue>
// Named parameters come as one object.
type SqliteValues = ReadonlyArray<SQLInputValue | Record<string, SQLInputValue>>

// A statement that is prepared once and run many times. Node gives each row as an object with a shape of its own, so that every
// read of its fields looks them up slowly. Rows as arrays, put under the names of their columns here, have one shape for each
// statement.
export class PreparedStatement {
  readonly #statement: StatementSync
  readonly #names: readonly string[]

  constructor(database: DatabaseSync, sql: string) {
    this.#statement = database.prepare(sql)
    this.#statement.setReturnArrays(true)
    this.#names = this.#statement.columns().map(({name}) => name)
  }

  get(...values: SqliteValues): SqliteRow | undefined {
    const found = this.#statement.get(...(values as SQLInputValue[])) as unknown as SQLOutputValue[] | undefined
    return found && this.#toRow(found)
  }

  all(...values: SqliteValues): SqliteRow[] {
    const found = this.#statement.all(...(values as SQLInputValue[])) as unknown as SQLOutputValue[][]
    return found.map((row) => this.#toRow(row))
  }

  run(...values: SqliteValues): StatementResultingChanges {
    return this.#statement.run(...(values as SQLInputValue[]))
  }

  #toRow(values: readonly SQLOutputValue[]): SqliteRow {
    const row: SqliteRow = {}
    let index = 0
    for (const name of this.#names) row[name] = values[index++] as SQLOutputValue
    return row
  }
}

export const getLogFile = (file: string) => `${file}-wal`

// Whether the file exists. Throws if only its write-ahead log does, or a link to it: then there was
// a file, and a new one in its place would be filled from that log. The log is looked for first,
// because another process creates it last.
export function checkFileExists(file: string): boolean {
  const hasLog = fs.existsSync(getLogFile(file))
  if (fs.existsSync(file)) return true
  // SQLite would create the target, which may be on a disk that is not there now.
  const isLink = (name: string) => fs.lstatSync(name, {throwIfNoEntry: false})?.isSymbolicLink() === true
  const folder = path.dirname(file)
  if (isLink(file)) throw new SqliteFileError(file, 'missing', 'is a link to a file that does not exist')
  if (isLink(folder) && !fs.existsSync(folder))
    throw new SqliteFileError(file, 'missing', `is in ${folder}, a link to a folder that does not exist`)
  if (!hasLog) return false
  throw new SqliteFileError(file, 'missing', `is missing, although its write-ahead log ${getLogFile(file)} is there`)
}

// Creates the file as a whole, so that no process ever finds it empty, whenever another one is killed. One that was faster
// is left as it is.
function createWholeFile(file: string, fill: (draft: string) => void): void {
  const draft = `${file}.${randomUUID().slice(0, 8)}.new`
  createPrivateFile(draft)
  try {
    fill(draft)
    try {
      fs.linkSync(draft, file)
    } catch (error) {
      if (getSystemCode(error) === 'EEXIST') return
      // A file system without hard links.
      fs.copyFileSync(draft, file, fs.constants.COPYFILE_EXCL)
    }
  } finally {
    for (const name of [draft, `${draft}-journal`]) fs.rmSync(name, {force: true})
  }
}
