// The stage of the payment tests: a sandbox with a frozen clock, journals, and runs that can be killed before any step.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {createClient} from '../../src/client/client.ts'
import {type Fetch, WireError} from '../../src/client/http.ts'
import {getExitCode, SvcError} from '../../src/errors.ts'
import {createServerClock} from '../../src/payments/protocol/clock.ts'
import type {PaymentContext} from '../../src/payments/protocol/context.ts'
import {payOnce} from '../../src/payments/protocol/drive.ts'
import type {SpendingLimits} from '../../src/payments/protocol/limits.ts'
import {
  type PaymentContent,
  type PaymentState,
  type PriceLimits,
  deriveCorrelationId,
  readBadEnding,
  withReceive,
} from '../../src/payments/protocol/payment.ts'
import {type Service, createService} from '../../src/payments/protocol/service.ts'
import {type Step, nameStep} from './steps.ts'
import {fileChain} from '../../src/payments/journal/chain.ts'
import {chainStart} from '../../src/payments/journal/tables.ts'
import type {Journal} from '../../src/payments/journal/journal.ts'
import {type LeaseOwner, describeThisProcess} from '../../src/payments/journal/owner.ts'
import {resolveReceive} from '../../src/payments/pay/receive.ts'
import {listLagDefaultMs} from '../../src/profiles/service.ts'
import {journalSchema, openJournalFile} from '../../src/payments/journal/sqlite/file.ts'
import {SqliteJournal} from '../../src/payments/journal/sqlite/sqlite-journal.ts'
import {setBehaviours} from '../../src/sandbox/service/faults/behaviours.ts'
import type {Behaviours} from '../../src/sandbox/service/faults/behaviour-table.ts'
import type {FaultOrder} from '../../src/sandbox/orders.ts'
import {addFault} from '../../src/sandbox/service/faults/faults.ts'
import type {RequestLog} from '../../src/sandbox/service/log/request-log.ts'
import {createSandbox, openSandbox, type Sandbox} from '../../src/sandbox/sandbox.ts'
import {Database, openDatabase} from '../../src/sandbox/store/database.ts'
import {isTaskDue} from '../../src/sandbox/time/queue.ts'
import {type PreparedStatement, SqliteConnection, inMemory} from '../../src/storage/sqlite.ts'

export const noon = new Date('2026-11-15T12:00:00Z')
export const serviceId = 'https://service.example'
export const minuteMs = 60_000
const requestTimeoutMs = 30_000
const connectionBusyWaitMs = 5_000
// How many transactions the customer's list has that no test made.
const otherTransactions = 2
// These tests do not read the request log.
const noLog: RequestLog = {add() {}, flush() {}}

// In memory if possible: the order of steps does not depend on the disk, and there are thousands of commits.
const temporaryRoot = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()

const newFolder = () => fs.mkdtempSync(path.join(temporaryRoot, 'svc-payments-'))

export interface PreparedSandbox {
  folder: string
  file: string
  // The same as bytes, for a database in memory.
  image: Uint8Array
  content: PaymentContent
}

// Made once per test file. Each stage is a copy of it.
export function prepareSandbox(): PreparedSandbox {
  const folder = newFolder()
  const file = path.join(folder, 'prepared.sqlite')
  const sandbox = openSandbox({file, seed: 'payments', frozenAt: noon})
  const content = findContent(sandbox, file)
  sandbox.money.fund(content.source.sourcePaymentAccountId, '1000000')
  sandbox.close()
  return {folder, file, image: readImage(file), content}
}

// A database in memory cannot have a write-ahead log.
function readImage(file: string): Uint8Array {
  const copy = `${file}-image`
  fs.copyFileSync(file, copy)
  const database = new DatabaseSync(copy)
  database.exec('pragma journal_mode = delete')
  const image = database.serialize()
  database.close()
  fs.rmSync(copy)
  return image
}

function openSandboxInMemory({image}: PreparedSandbox): Database {
  const database = new Database(inMemory, connectionBusyWaitMs)
  database.database.deserialize(image)
  return database
}

function openSandboxFile({file: preparedFile}: PreparedSandbox, file: string): Database {
  fs.copyFileSync(preparedFile, file)
  return openDatabase(file, () => {})
}

function findContent(sandbox: Sandbox, file: string): PaymentContent {
  const database = new DatabaseSync(file)
  const active = database.prepare("select customerId from customers where customerStatus = 'ACTIVE' order by seq").get()
  const customerId = String(active?.['customerId'])
  // Every cell reads the list several times, so it is kept short.
  database
    .prepare(
      `update transactions set customerSeq = (select seq from customers where customerId <> :ours limit 1)
       where customerSeq = (select seq from customers where customerId = :ours) and seq not in
         (select seq from transactions where customerSeq = (select seq from customers where customerId = :ours)
          order by seq desc limit :kept)`,
    )
    .run({ours: customerId, kept: otherTransactions})
  // Every cell asks several times which transactions it has made.
  database.exec("create index testByCorrelation on transactions (json_extract(reply, '$.correlationId'))")
  database.close()
  const accounts = sandbox.money.accounts(customerId)
  const wallet = accounts.find(({svcCryptoWallet}) => svcCryptoWallet)
  const bank = accounts.find(
    (one) => one.paymentAccountId && one.externalBankAccount?.bankAccountPaymentMethod === 'ACH',
  )
  return {
    customerId,
    source: {
      sourcePaymentAccountId: wallet?.paymentAccountId ?? '',
      sourceCurrency: 'USDC',
      sourcePaymentMethod: wallet?.svcCryptoWallet?.address?.chain ?? '',
      sourceAmount: '12.34',
    },
    destination: {
      destinationPaymentAccountId: bank?.paymentAccountId ?? '',
      destinationPaymentMethod: 'ACH',
      destinationCurrency: 'USD',
    },
  } as PaymentContent
}

// Thrown to end a run as if its process had been killed.
class Crash extends Error {
  override name = 'Crash'
}

export interface RunOptions {
  key: string
  journalFile: string
  // The step before which the run is killed, after it was reached `crashAfter` times before.
  crashAt?: Step | undefined
  crashAfter?: number | undefined
  waitMs?: number | undefined
  owner?: Partial<LeaseOwner> | undefined
  limits?: PriceLimits | undefined
  spending?: SpendingLimits | undefined
  mayResend?: boolean | undefined
  areKeysHonoured?: boolean | undefined
  amount?: string | undefined
  // What is to arrive, instead of an amount.
  receive?: string | undefined
  onStep?: ((point: Step) => void | Promise<void>) | undefined
  readListed?: PaymentContext['readListed']
  onContentChanged?: PaymentContext['onContentChanged']
}

export interface Outcome {
  // The exit code. Undefined if the run was killed.
  code: number | undefined
  crashed: boolean
  transactionId?: string | undefined
  wasMadeBefore?: boolean | undefined
  error?: SvcError | undefined
  steps: Step[]
}

export interface Row {
  state: PaymentState
  transactionId?: string
  ended?: string
  attempts: Array<{sends: number; reason?: string}>
}

// Which databases are files, so that others can open them. Those in memory are much faster, with the same transactions.
export type StageFiles = 'service and journals' | 'journals' | 'none'

const markProcessGone =
  "update payments set owner = json_set(owner, '$.began', 'gone') where json_extract(owner, '$.run') = ?"

// Leaves the journal as its schema makes it.
const emptyJournal = `begin;
  ${['payments', 'history', 'chains'].map((table) => `delete from ${table};`).join('')}
  insert into chains values (${fileChain}, 0, '${chainStart}');
  commit`

interface OpenJournal {
  journal: Journal
  // None for a journal in another store.
  connection?: SqliteConnection
}

// A store of journals that is not a file. All runs of a stage share the journal in it.
export interface StageStore {
  open(): Promise<Journal>
  // Ends the connections of a journal whose process was killed, which writes nothing more.
  abandon(journal: Journal): Promise<void>
  // Makes the process of this run one that has ended.
  markProcessGone(run: string): Promise<void>
  // The row of a payment, and everything about it as text.
  read(key: string): Promise<{row: Row | undefined; dump: string}>
}

export class Stage {
  readonly folder: string
  readonly file: string
  readonly content: PaymentContent
  readonly sandbox: Sandbox
  readonly #database: Database
  readonly #apiKey: string
  // Every request that reached the service: method and path.
  requests: string[] = []
  #journals = 0
  #nowMs: number | undefined
  // Open journals for the next run. The journal of a killed run is closed.
  readonly #idle = new Map<string, OpenJournal[]>()
  // Connections that read a journal while all of its own are in use, and keep one in memory alive.
  readonly #readers = new Map<string, SqliteConnection>()
  readonly #files: StageFiles
  readonly #store: StageStore | undefined
  // What the store had about each payment after its last run.
  readonly #stored = new Map<string, Awaited<ReturnType<StageStore['read']>>>()

  constructor(prepared: PreparedSandbox, files: StageFiles = 'journals', store?: StageStore) {
    this.#files = files
    this.#store = store
    this.folder = newFolder()
    this.file = path.join(this.folder, 'sandbox.sqlite')
    this.content = prepared.content
    this.#database =
      files === 'service and journals' ? openSandboxFile(prepared, this.file) : openSandboxInMemory(prepared)
    this.sandbox = createSandbox(this.#database, noLog)
    this.#apiKey = this.sandbox.apiKey
  }

  now = (): number =>
    (this.#nowMs ??= Number(this.#database.one<{frozenAt: number}>('select frozenAt from sandbox')?.frozenAt))
  // Moves the frozen clock. Work that becomes due runs with the next request.
  advance = (ms: number): void => {
    const rounded = Math.ceil(ms)
    this.#database.run('update sandbox set offsetMs = offsetMs + ?, frozenAt = frozenAt + ?', rounded, rounded)
    if (this.#nowMs !== undefined) this.#nowMs += rounded
  }
  // Moves the clock and does at once what has become due.
  runDue = (ms: number): void => {
    this.sandbox.clock.advance(Math.ceil(ms))
    this.reloadClock()
  }
  // Needed after another process has moved the clock.
  reloadClock = (): void => {
    this.#nowMs = undefined
  }

  journal = (): string => path.join(this.folder, `journal-${++this.#journals}.sqlite`)

  behave(behaviours: Partial<Behaviours>, ...faults: FaultOrder[]): void {
    const database = this.#database
    // What is due already is done under the behaviours until now.
    if (isTaskDue(database, this.now())) this.runDue(0)
    database.transact(() => {
      database.run('delete from faults')
      database.run('delete from behaviours')
      const context = {database, formsUrl: '', now: this.now(), behaviours: setBehaviours(database, behaviours)}
      for (const fault of faults) addFault(context, fault)
    })
  }

  clearFaults(): void {
    this.#database.run('delete from faults')
  }

  // The transactions that the service really has for a key, whether or not its list shows them.
  made(key: string): string[] {
    return this.#database
      .all<{transactionId: string}>(
        `select transactionId from transactions indexed by testByCorrelation
         where json_extract(reply, '$.correlationId') = ?
           and customerSeq = (select customers.seq from customers where customerId = ?) order by seq`,
        deriveCorrelationId(serviceId, key),
        this.content.customerId,
      )
      .map(({transactionId}) => transactionId)
  }

  // Removes created transactions from the customer's list, to keep it short for the next cell.
  tidy(): void {
    const ours = this.content.customerId
    this.#database.run(
      `update transactions set customerSeq = (select seq from customers where customerId <> ? limit 1)
       where customerSeq = (select seq from customers where customerId = ?) and json_extract(reply, '$.correlationId') is not null`,
      ours,
      ours,
    )
  }

  // The client's fetch, in process. A fault fails as it would on a network, and waiting moves the frozen clock.
  fetch: Fetch = async (url, {method, headers, body, timeoutMs}) => {
    const given = new Map(headers)
    const target = url.slice('http://localhost'.length)
    this.requests.push(`${method} ${target.split('?', 1)[0]}`)
    const {
      status,
      headers: replied,
      body: text,
      fault,
    } = await this.sandbox.handle({
      method,
      target,
      header: (name) => given.get(name),
      body: async () => Buffer.from(body ?? ''),
    })
    if (fault) {
      const {delayMs, breaks} = fault
      const isSilent = breaks === 'hang' || delayMs >= timeoutMs
      if (isSilent || delayMs > 0) this.advance(isSilent ? timeoutMs : delayMs)
      if (isSilent) throw new WireError('TIMEOUT', 'no whole reply came in time', true)
      if (breaks === 'truncate') throw new WireError('TRUNCATED', 'the reply broke off before its end', true)
      if (breaks) throw new WireError('ECONNRESET', 'the connection was broken off', true)
    }
    return {
      status,
      statusText: '',
      ok: status >= 200 && status < 300,
      headers: {get: (name) => replied[name.toLowerCase()] ?? null},
      body: true,
      text: async () => text,
    }
  }

  // Runs one payment as a process of its own would, and returns the outcome with the steps that it reached.
  async run(options: RunOptions): Promise<Outcome> {
    const {key, journalFile, limits = {}, amount, receive} = options
    const open = this.#idle.get(journalFile)?.pop() ?? (await this.#openJournal(journalFile))
    const {journal} = open
    const {context, points, owner, state} = this.#createContext(options, journal)
    const content = amount ? {...this.content, source: {...this.content.source, sourceAmount: amount}} : this.content
    try {
      const intent = {serviceId, key, content: withReceive(content, receive)}
      const order = await resolveReceive(context, {intent, limits, isGuaranteed: false})
      const {payment, transaction, wasMadeBefore} = await payOnce(context, order)
      const ended = payment.ended ?? (transaction && readBadEnding(transaction))
      const code = getExitCode(ended ? 'endedBadly' : 'done')
      return {code, crashed: false, transactionId: payment.transactionId, wasMadeBefore, steps: points}
    } catch (error) {
      if (state.dead) return {code: undefined, crashed: true, steps: points}
      if (!(error instanceof SvcError)) throw error
      return {code: error.exitCode, crashed: false, error, steps: points}
    } finally {
      if (state.dead) {
        await this.#abandon(open, journalFile)
        // The next run must see that the process of this one has ended.
        if (this.#store) await this.#store.markProcessGone(owner.run)
        else this.#prepare(journalFile, markProcessGone).run(owner.run)
      } else this.#keep(open, journalFile)
      if (this.#store) this.#stored.set(key, await this.#store.read(key))
    }
  }

  async #openJournal(journalFile: string): Promise<OpenJournal> {
    if (this.#store) return {journal: await this.#store.open()}
    const connection = this.#files === 'none' ? this.#openJournalInMemory(journalFile) : openJournalFile(journalFile)
    return this.#toJournal(connection, journalFile)
  }

  #toJournal(connection: SqliteConnection, journalFile: string): OpenJournal {
    return {connection, journal: new SqliteJournal(connection, journalFile, this.now)}
  }

  #keep(open: OpenJournal, journalFile: string): void {
    this.#idle.set(journalFile, [...(this.#idle.get(journalFile) ?? []), open])
  }

  // The journal of a killed run is closed, which undoes what it has not committed. To open one in memory again takes longer than
  // most runs, so its connection only undoes that, and serves a new journal.
  async #abandon({journal, connection}: OpenJournal, journalFile: string): Promise<void> {
    if (this.#store) return this.#store.abandon(journal)
    if (this.#files !== 'none' || !connection) return journal.close()
    if (connection.database.isTransaction) connection.database.exec('rollback')
    this.#keep(this.#toJournal(connection, journalFile), journalFile)
  }

  // All connections of this process to one name share a database, until the last of them is closed.
  #openJournalInMemory(journalFile: string): SqliteConnection {
    const connect = () => new SqliteConnection(`file:${journalFile}?vfs=memdb`, connectionBusyWaitMs)
    if (!this.#readers.has(journalFile)) {
      const reader = connect()
      reader.database.exec(journalSchema)
      this.#readers.set(journalFile, reader)
    }
    return connect()
  }

  // Deletes the journal. One in memory is emptied.
  lose(journalFile: string): void {
    const [kept] = this.#files === 'none' ? (this.#idle.get(journalFile) ?? []) : []
    if (kept?.connection) kept.connection.database.exec(emptyJournal)
    else this.#delete(journalFile)
  }

  #delete(journalFile: string): void {
    for (const {journal} of this.#idle.get(journalFile) ?? []) void journal.close()
    this.#idle.delete(journalFile)
    this.#readers.get(journalFile)?.close()
    this.#readers.delete(journalFile)
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(journalFile + suffix, {force: true})
  }

  #prepare(journalFile: string, sql: string): PreparedStatement {
    const idle = this.#idle.get(journalFile)?.at(-1)?.connection
    if (idle) return idle.prepare(sql)
    const reader = this.#readers.get(journalFile) ?? new SqliteConnection(journalFile, connectionBusyWaitMs)
    this.#readers.set(journalFile, reader)
    return reader.prepare(sql)
  }

  // Runs repeatedly as cron would, with time in between, until it is paid or the maximum of runs is reached.
  async untilPaid(options: RunOptions, times = 14, everyMs = 3.5 * minuteMs): Promise<Outcome> {
    let outcome = await this.run(options)
    for (let again = 1; again < times && !hasEnded(outcome); again++) {
      this.advance(everyMs)
      outcome = await this.run(options)
    }
    return outcome
  }

  #createContext({crashAt, crashAfter = 0, waitMs = 5_000, onStep, ...options}: RunOptions, journal: Journal) {
    const state = {dead: false}
    const points: Step[] = []
    const owner = {...describeThisProcess(), ...options.owner}
    const clock = createServerClock(this.now, this.now)
    const client = createClient({
      baseUrl: 'http://localhost',
      fetch: this.fetch,
      credential: async () => this.#apiKey,
      renewable: false,
      callerLabel: 'the test',
      gate: {enforce: () => {}},
      userAgent: 'svc/test',
      requestTimeoutMs,
      retriesReads: false,
      onReply: ({headers}) => clock.observeDate(headers.get('date')),
    })
    const endsAt = this.now() + waitMs
    const service = createService(client)
    const context: PaymentContext = {
      service: crashAt ? (failWhenDead(service, state) as Service) : service,
      journal: crashAt ? (failWhenDead(journal, state) as Journal) : journal,
      clock,
      owner,
      controls: {spending: options.spending},
      mayResend: options.mayResend ?? true,
      areKeysHonoured: options.areKeysHonoured ?? false,
      listLagMaxMs: listLagDefaultMs,
      pause: async (ms) => {
        if (state.dead) throw new Crash()
        this.advance(ms)
        await new Promise(setImmediate)
      },
      remainingMs: () => Math.max(0, endsAt - this.now()),
      onAction: (action) => {
        const point = nameStep(action)
        points.push(point)
        void onStep?.(point)
        if (point !== crashAt || points.filter((one) => one === point).length <= crashAfter) return
        state.dead = true
        throw new Crash(`at ${point}`)
      },
      readListed: options.readListed,
      onContentChanged: options.onContentChanged,
    }
    return {context, points, owner, state}
  }

  // Everything that a journal has about a key, as text.
  dump(journalFile: string, key: string): string {
    if (this.#store) return this.#stored.get(key)?.dump ?? ''
    const tables = ['payments', 'history'].map((table) =>
      this.#prepare(journalFile, `select * from ${table} where service_id = ? and key = ?`).all(serviceId, key),
    )
    return JSON.stringify(tables)
  }

  row(journalFile: string, key: string): Row | undefined {
    if (this.#store) return this.#stored.get(key)?.row
    const sql = 'select payment from payments where service_id = ? and key = ?'
    const found = this.#prepare(journalFile, sql).get(serviceId, key)
    return found && (JSON.parse(String(found['payment'])) as Row)
  }

  close(): void {
    for (const journalFile of new Set([...this.#idle.keys(), ...this.#readers.keys()])) this.#delete(journalFile)
    this.sandbox.close()
    fs.rmSync(this.folder, {recursive: true, force: true})
  }
}

// Paid, paid but ended badly, or paid several times, which only a person can settle.
const hasEnded = ({code, error}: Outcome) =>
  code === 0 || code === getExitCode('endedBadly') || error?.error === 'SEVERAL_TRANSACTIONS'

// A killed run must not send or write anything.
function failWhenDead(target: object, state: {dead: boolean}): object {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        if (state.dead) throw new Crash()
        return Reflect.apply(value, object, given)
      }
    },
  })
}
