// The stage of the payment tests: the fake service with a clock that stands still, journals, and runs that can be killed before any step.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type Fetch, WireError} from '../../src/client/http.ts'
import {getExitCode, SvcError} from '../../src/errors.ts'
import type {ServerClock} from '../../src/payments/protocol/clock.ts'
import type {PaymentContext} from '../../src/payments/protocol/context.ts'
import {CustomerLists} from '../../src/payments/protocol/lists.ts'
import {quoteLifeMinMs} from '../../src/payments/protocol/next.ts'
import {payOnce} from '../../src/payments/protocol/drive.ts'
import type {SpendingLimits} from '../../src/controls/limits.ts'
import {
  type Payment,
  type PaymentState,
  unsettledStates,
  type PriceLimits,
  deriveCorrelationId,
  getLastAttempt,
  withReceive,
} from '../../src/payments/protocol/payment.ts'
import {readBadEnding} from '../../src/contract/loose.ts'
import {type Step, nameStep} from './steps.ts'
import {fileChain} from '../../src/payments/journal/chain.ts'
import {chainStart} from '../../src/payments/journal/tables.ts'
import type {Journal} from '../../src/payments/journal/journal.ts'
import {type LeaseOwner, describeThisProcess} from '../../src/payments/journal/owner.ts'
import {listLagDefaultMs} from '../../src/profiles/service.ts'
import {SqliteJournal, journalSchema, openJournalFile} from '../../src/payments/journal/sqlite/sqlite-journal.ts'
import {type PreparedStatement, SqliteConnection} from '../../src/storage/sqlite.ts'
import {ServiceClock} from '../support/scripted/clock.ts'
import type {Behaviour, Spelling} from '../support/scripted/behaviour.ts'
import {FakeService} from '../support/scripted/fake-service.ts'
import type {Narrowing} from '../support/scripted/narrowing.ts'
import {JournalInMemory, connect, content, serviceId} from './connect.ts'
import {type Behaviours, type FaultOrder, toBehaviour, toStep} from './faults.ts'

export {serviceId} from './connect.ts'

export const noon = new Date('2026-11-15T12:00:00Z')
export const minuteMs = 60_000
const connectionBusyWaitMs = 5_000
// The customer's list has transactions that no test made.
const others = ['other-1', 'other-2']
// How far the bounds of the service's clock are apart, as svc knows it.
const clockSpreadMs = 40_000

// In memory if possible: the order of steps does not depend on the disk, and there are thousands of commits.
const temporaryRoot = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()

export const newFolder = () => fs.mkdtempSync(path.join(temporaryRoot, 'svc-payments-'))

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
  duplicateWindowMs?: number
  mayResend?: boolean | undefined
  areKeysHonoured?: boolean | undefined
  amount?: string | undefined
  customerId?: string
  // What is to arrive, instead of an amount.
  receive?: string | undefined
  onStep?: ((point: Step) => void | Promise<void>) | undefined
  onContentChanged?: PaymentContext['onContentChanged']
  // How long a person takes to say yes to the first price, if one is asked.
  answersAfterMs?: number | undefined
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
  attempts: Array<{armed?: {sends: number; bytes: string}; reason?: string}>
}

// Whether journals are files, so that others can open them. Those in memory are much faster, with the same transactions.
type StageFiles = 'journals' | 'none'

const markProcessGone =
  "update payments set owner = json_set(owner, '$.began', 'gone') where json_extract(owner, '$.run') = ?"

// Leaves the journal as its schema makes it.
const emptyJournal = `begin;
  ${['payments', 'history', 'chains', 'list_proofs', 'unrecorded'].map((table) => `delete from ${table};`).join('')}
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
  readonly folder = newFolder()
  readonly content = content
  readonly service: FakeService
  // Every request that reached the service: method and path.
  requests: string[] = []
  // When the last read of a list began.
  #readAtMs = 0
  // What svc did at a time when it must not, by the service's real time. A stage that has any fails
  // when it is closed.
  readonly untimely: string[] = []
  #journals = 0
  // Open journals for the next run. The journal of a killed run is closed.
  readonly #idle = new Map<string, OpenJournal[]>()
  // Connections that read a journal while all of its own are in use, and keep one in memory alive.
  readonly #readers = new Map<string, SqliteConnection>()
  readonly #files: StageFiles
  readonly #store: StageStore | undefined
  // What the store had about each payment after its last run.
  readonly #stored = new Map<string, Awaited<ReturnType<StageStore['read']>>>()

  constructor(files: StageFiles = 'journals', {store, clock}: {store?: StageStore; clock?: ServiceClock} = {}) {
    this.#files = files
    this.#store = store
    this.service = new FakeService(toBehaviour({}), clock)
    // The others are old enough that every list shows them.
    this.service.clock.freeze(noon.getTime() - 60 * minuteMs)
    for (const key of others) this.makeOther(key)
    this.service.clock.freeze(noon.getTime())
  }

  // A transaction of the customer that svc did not make.
  makeOther(key: string): void {
    const quote = this.service.ledger.quote(content)
    if ('quoteId' in quote) this.service.ledger.create({key, body: JSON.stringify({quoteId: quote.quoteId})})
  }

  // How the service writes what it sends from the next fault or behaviour on.
  spelling: Spelling = 'usual'

  now = (): number => this.service.clock.now()
  // The clock of the machine that svc runs on, which may be wrong.
  machineAheadMs = 0
  machineNow = (): number => this.now() + this.machineAheadMs
  // Moves the clock.
  advance = (ms: number): void => this.service.clock.advance(Math.ceil(ms))
  // Moves the clock and does at once what has become due.
  runDue = (ms: number): void => {
    this.advance(ms)
    this.service.ledger.catchUp()
  }

  journal = (): string => path.join(this.folder, `journal-${++this.#journals}.sqlite`)

  // From now on. What is due already is done as before.
  behave(behaviours: Partial<Behaviours>, ...faults: FaultOrder[]): void {
    this.#face(toBehaviour(behaviours), faults)
  }

  // The service is one of several kinds. What follows has to be the same whenever it is played, so it is a whole minute, and nothing of
  // earlier runs is under way.
  async faceKinds(narrowing: Narrowing, ...faults: FaultOrder[]): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
    this.advance(minuteMs - (this.now() % minuteMs))
    this.#face(narrowing.left[0]?.behaviour ?? toBehaviour({}), faults, narrowing)
  }

  #face(behaviour: Behaviour, faults: readonly FaultOrder[], narrowing?: Narrowing): void {
    this.service.ledger.catchUp()
    Object.assign(this.service.behaviour, behaviour, {spelling: this.spelling})
    this.service.narrowing = narrowing
    this.clearFaults()
    for (const fault of faults) this.service.script(toStep(fault))
  }

  clearFaults(): void {
    this.service.clearSteps()
  }

  // The transactions that the service really has for a key, whether or not its list shows them.
  made(key: string): string[] {
    const correlationId = deriveCorrelationId(serviceId, key)
    this.service.ledger.catchUp()
    return this.service.ledger.made
      .filter((one) => one.correlationId === correlationId)
      .map(({item}) => String(item['transactionId']))
  }

  // Removes what was made from the customer's list, to keep it short for the next cell.
  tidy(): void {
    this.service.ledger.forget(({key}) => !others.includes(key))
  }

  // Bytes leave while their quote lives, if the last Date that the run was told is right, whatever
  // happens to them on the way.
  #createCheckedFetch(): Fetch {
    let toldAheadMs = 0
    return async (url, options) => {
      const {method, body = '{}'} = options
      const {pathname, searchParams} = new URL(url)
      if (pathname === '/transactions' && method === 'GET' && !searchParams.has('pageToken'))
        this.#readAtMs = this.now()
      if (pathname === '/transactions' && method === 'POST') {
        const {quoteId = ''} = JSON.parse(body) as {quoteId?: string}
        const leftMs = (this.service.ledger.findQuote(quoteId)?.expiresAtMs ?? Infinity) - this.now()
        if (toldAheadMs === 0 && leftMs < quoteLifeMinMs)
          this.untimely.push(`the quote ${quoteId} was sent ${leftMs} ms before its end`)
      }
      const reply = await this.fetch(url, options)
      if (reply.headers.get('date') !== null) toldAheadMs = this.service.behaviour.dateSkewMs
      return reply
    }
  }

  // Who stops a run is told no less than what others see in the journal.
  #checkTold(journal: Journal, told: {state: PaymentState}): Journal {
    const commit: Journal['commit'] = async (...given) => {
      const payment = await journal.commit(...given)
      const isUntrue = unsettledStates.includes(payment.state) && !unsettledStates.includes(told.state)
      if (isUntrue) this.untimely.push(`${payment.key} is ${payment.state} in the journal, and told as ${told.state}`)
      return payment
    }
    return watchCalls(journal, (name, call, given) =>
      name === 'commit' ? commit(...(given as Parameters<typeof commit>)) : call(),
    )
  }

  // A list that proves the payment absent was begun when nothing could be made or lag any more.
  #checkProof(point: Step, payment: Payment): void {
    const {quote, armed} = getLastAttempt(payment) ?? {}
    const isSent = armed !== undefined && armed.sends > 0
    const isProof = point === 'NOT_FOUND' || (point === 'ABANDONED' && payment.state === 'UNKNOWN' && isSent)
    const earlyMs = (quote?.expiresAt ?? 0) + listLagDefaultMs - this.#readAtMs
    if (isProof && earlyMs > 0)
      this.untimely.push(`${payment.key} is ${point} by a list that was begun ${earlyMs} ms too early`)
  }

  // The client's fetch, in process. A fault fails as it would on a network, and waiting moves the clock.
  fetch: Fetch = async (url, {method, headers, body = '', timeoutMs}) => {
    const {pathname, searchParams} = new URL(url)
    this.requests.push(`${method} ${pathname}`)
    const request = {method, path: pathname, query: searchParams, headers: Object.fromEntries(headers), body}
    const {status, text, headers: replied, breaks, delayMs} = await this.service.handle(request)
    const isSilent = breaks === 'lost' || delayMs >= timeoutMs
    if (isSilent || delayMs > 0) this.advance(isSilent ? timeoutMs : delayMs)
    if (isSilent) throw new WireError('TIMEOUT', 'no whole reply came in time', true)
    if (breaks === 'truncated') throw new WireError('TRUNCATED', 'the reply broke off before its end', true)
    if (breaks) throw new WireError('ECONNRESET', 'the connection was broken off', true)
    return {
      status,
      statusText: '',
      ok: status >= 200 && status < 300,
      headers: {get: (name) => replied[name.toLowerCase()] ?? null},
      body: true,
      text: async () => text,
    }
  }

  // A person who thinks about the first price, and says yes to every one.
  #askPerson(answersAfterMs: number) {
    let thinksMs = answersAfterMs
    const confirm = async () => {
      this.advance(thinksMs)
      thinksMs = 0
      for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
    }
    return {asks: 'person' as const, confirm}
  }

  // Runs one payment as a process of its own would, and returns the outcome with the steps that it reached.
  async run(options: RunOptions): Promise<Outcome> {
    const {key, journalFile, limits = {}, customerId = content.customerId, amount, receive, duplicateWindowMs} = options
    const open = await this.#openJournal(journalFile)
    const {journal} = open
    const {context, points, owner, state} = this.#createContext(options, journal)
    const {answersAfterMs} = options
    const source = {...content.source, ...(amount && {sourceAmount: amount})}
    const wanted = {...content, customerId, source}
    try {
      const intent = {serviceId, key, content: withReceive(wanted, receive)}
      const asked = answersAfterMs === undefined ? {} : this.#askPerson(answersAfterMs)
      const order = {intent, limits, isGuaranteed: false, duplicateWindowMs, ...asked}
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

  // Takes the same number of turns whether one is open or not, so that runs at the same time meet in the same way.
  async #openJournal(journalFile: string): Promise<OpenJournal> {
    const idle = this.#idle.get(journalFile)?.pop()
    if (idle) return idle
    if (this.#store) return {journal: await this.#store.open()}
    const connection = this.#files === 'none' ? this.#openJournalInMemory(journalFile) : openJournalFile(journalFile)
    return this.#toJournal(connection, journalFile)
  }

  #toJournal(connection: SqliteConnection, journalFile: string): OpenJournal {
    const Kind = this.#files === 'none' ? JournalInMemory : SqliteJournal
    return {connection, journal: new Kind(connection, journalFile, this.machineNow)}
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
    const openConnection = () => new SqliteConnection(`file:${journalFile}?vfs=memdb`, connectionBusyWaitMs)
    if (!this.#readers.has(journalFile)) {
      const reader = openConnection()
      reader.database.exec(journalSchema)
      this.#readers.set(journalFile, reader)
    }
    return openConnection()
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
    const told: {state: PaymentState} = {state: 'INTENDED'}
    const journalOfRun = this.#checkTold(journal, told)
    const points: Step[] = []
    const owner = {...describeThisProcess(), ...options.owner}
    const {clock: exact, service} = connect(this.#createCheckedFetch(), this.machineNow, {ticks: this.now})
    // What is safe by one bound only is wrong by the other.
    const clock: ServerClock = {
      ...exact,
      earliest: () => exact.earliest() - clockSpreadMs / 2,
      latest: () => exact.latest() + clockSpreadMs / 2,
    }
    const endsAt = this.now() + waitMs
    const reached = {
      service: crashAt ? failWhenDead(service, state) : service,
      journal: crashAt ? failWhenDead(journalOfRun, state) : journalOfRun,
    }
    const settings = {...reached, memory: reached.journal, clock, listLagMaxMs: listLagDefaultMs}
    const context: PaymentContext = {
      ...reached,
      lists: new CustomerLists(settings),
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
      onAction: (action, payment) => {
        const point = nameStep(action)
        points.push(point)
        this.#checkProof(point, payment)
        void onStep?.(point)
        if (point !== crashAt || points.filter((one) => one === point).length <= crashAfter) return
        state.dead = true
        throw new Crash(`at ${point}`)
      },
      onProgress: ({payment}) => (told.state = payment.state),
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
    fs.rmSync(this.folder, {recursive: true, force: true})
    if (this.untimely.length > 0) throw new Error(this.untimely.join('; '))
  }
}

// Paid, paid but ended badly, or paid several times, which only a person can settle.
const hasEnded = ({code, error}: Outcome) =>
  code === 0 || code === getExitCode('endedBadly') || error?.error === 'SEVERAL_TRANSACTIONS'

// A killed run must not send or write anything.
const failWhenDead = <Target extends object>(target: Target, state: {dead: boolean}): Target =>
  watchCalls(target, (_, call) => {
    if (state.dead) throw new Crash()
    return call()
  })

// Each call of a method passes through `watch`.
function watchCalls<Target extends object>(
  target: Target,
  watch: (name: string | symbol, call: () => unknown, given: readonly unknown[]) => unknown,
): Target {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => watch(name, () => Reflect.apply(value, object, given), given)
    },
  })
}
