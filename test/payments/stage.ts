// The stage of the payment tests: a sandbox with a frozen clock, journals, and runs that can be killed at any checkpoint.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync, type StatementSync} from 'node:sqlite'
import {createClient} from '../../src/client/client.ts'
import {type Fetch, WireError} from '../../src/client/http.ts'
import {SvcError} from '../../src/errors.ts'
import {type PaymentContent, deriveCorrelationId} from '../../src/payments/payment-content.ts'
import type {Journal} from '../../src/payments/journal/journal.ts'
import type {PriceLimits, SpendingLimits} from '../../src/payments/limits.ts'
import {type LeaseOwner, describeThisProcess} from '../../src/payments/lease-owner.ts'
import {payOnce} from '../../src/payments/pay.ts'
import type {PaymentState} from '../../src/payments/payment.ts'
import {createServerClock} from '../../src/payments/server-clock.ts'
import {type Service, createService} from '../../src/payments/service.ts'
import {listLagDefaultMs} from '../../src/profiles/service-traits.ts'
import {openJournal} from '../../src/payments/journal/sqlite-journal.ts'
import type {Checkpoint, PaymentContext} from '../../src/payments/context.ts'
import type {Behaviours} from '../../src/sandbox/faults/behaviours.ts'
import type {NewFault} from '../../src/sandbox/faults/faults.ts'
import {openSandbox, type Sandbox} from '../../src/sandbox/sandbox.ts'

export const noon = new Date('2026-11-15T12:00:00Z')
export const serviceId = 'https://service.example'
export const minuteMs = 60_000
const requestTimeoutMs = 30_000
// These tests do not read the request log.
const logBatchMs = 60_000

// In memory if possible: the order of steps does not depend on the disk, and there are thousands of commits.
const temporaryRoot = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()

const newFolder = () => fs.mkdtempSync(path.join(temporaryRoot, 'svc-payments-'))

export interface PreparedSandbox {
  folder: string
  file: string
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
  return {folder, file, content}
}

function findContent(sandbox: Sandbox, file: string): PaymentContent {
  const database = new DatabaseSync(file)
  // The customer with the shortest list, because every cell reads it several times.
  const active = database
    .prepare(
      `select customerId from customers where customerStatus = 'ACTIVE'
       order by (select count(*) from transactions where transactions.customerId = customers.customerId), seq`,
    )
    .get()
  database.close()
  const customerId = String(active?.['customerId'])
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
  // The checkpoint at which the run is killed, after it was reached `crashAfter` times before.
  crashAt?: Checkpoint | undefined
  crashAfter?: number | undefined
  waitMs?: number | undefined
  owner?: Partial<LeaseOwner> | undefined
  limits?: PriceLimits | undefined
  spending?: SpendingLimits | undefined
  mayResend?: boolean | undefined
  areKeysHonoured?: boolean | undefined
  amount?: string | undefined
  onCheckpoint?: ((point: Checkpoint) => void | Promise<void>) | undefined
  findListed?: PaymentContext['findListed']
  onContentChanged?: PaymentContext['onContentChanged']
}

export interface Outcome {
  // The exit code. Undefined if the run was killed.
  code: number | undefined
  crashed: boolean
  transactionId?: string | undefined
  wasMadeBefore?: boolean | undefined
  error?: SvcError | undefined
  checkpoints: Checkpoint[]
}

export interface Row {
  state: PaymentState
  transactionId?: string
  attempts: Array<{sends: number; reason?: string}>
}

export class Stage {
  readonly folder: string
  readonly file: string
  readonly content: PaymentContent
  readonly sandbox: Sandbox
  readonly #reader: DatabaseSync
  // Every request that reached the service: method and path.
  requests: string[] = []
  #journals = 0
  readonly #clock: StatementSync
  #nowMs: number | undefined
  readonly #made: StatementSync
  readonly #mover: StatementSync
  // Open journals for the next run. The journal of a killed run is closed.
  readonly #idle = new Map<string, Journal[]>()
  readonly #readers = new Map<string, {database: DatabaseSync; statements: Map<string, StatementSync>}>()

  constructor(prepared: PreparedSandbox) {
    this.folder = newFolder()
    this.file = path.join(this.folder, 'sandbox.sqlite')
    this.content = prepared.content
    fs.copyFileSync(prepared.file, this.file)
    this.sandbox = openSandbox({file: this.file, batchMs: logBatchMs})
    this.#reader = new DatabaseSync(this.file)
    this.#clock = this.#reader.prepare('select frozenAt from sandbox')
    this.#mover = this.#reader.prepare('update sandbox set offsetMs = offsetMs + :ms, frozenAt = frozenAt + :ms')
    this.#made = this.#reader.prepare(
      `select transactionId from transactions
       where customerId = ? and json_extract(reply, '$.correlationId') = ? order by seq`,
    )
  }

  now = (): number => (this.#nowMs ??= Number(this.#clock.get()?.['frozenAt']))
  // Moves the frozen clock. Work that becomes due runs with the next request.
  advance = (ms: number): void => {
    this.#mover.run({ms: Math.ceil(ms)})
    this.reloadClock()
  }
  // Needed after another process has moved the clock.
  reloadClock = (): void => {
    this.#nowMs = undefined
  }

  journal = (): string => path.join(this.folder, `journal-${++this.#journals}.sqlite`)

  behave(behaviours: Partial<Behaviours>, ...faults: NewFault[]): void {
    this.#reader.exec('delete from faults; delete from behaviours')
    this.sandbox.faults.setBehaviours(behaviours)
    for (const fault of faults) this.sandbox.faults.add(fault)
  }

  // The transactions that the service really has for a key, whether or not its list shows them.
  made(key: string): string[] {
    return this.#made
      .all(this.content.customerId.toLowerCase(), deriveCorrelationId(serviceId, key))
      .map(({transactionId}) => String(transactionId))
  }

  // Removes created transactions from the customer's list, to keep it short for the next cell.
  tidy(): void {
    this.#reader
      .prepare(
        `update transactions set customerId = (select customerId from customers where customerId <> :ours limit 1)
         where customerId = :ours and json_extract(reply, '$.correlationId') is not null`,
      )
      .run({ours: this.content.customerId.toLowerCase()})
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
      text: async () => String(text),
    }
  }

  // Runs one payment as a process of its own would, and returns the outcome with the checkpoints that it reached.
  async run(options: RunOptions): Promise<Outcome> {
    const {key, journalFile, limits = {}, amount} = options
    const journal = this.#idle.get(journalFile)?.pop() ?? openJournal(journalFile, this.now)
    const {context, points, owner, state} = this.#createContext(options, journal)
    const content = amount ? {...this.content, source: {...this.content.source, sourceAmount: amount}} : this.content
    try {
      const {payment, wasMadeBefore} = await payOnce(context, {
        intent: {serviceId, key, content},
        limits,
        isGuaranteed: false,
      })
      return {code: 0, crashed: false, transactionId: payment.transactionId, wasMadeBefore, checkpoints: points}
    } catch (error) {
      if (state.dead) return {code: undefined, crashed: true, checkpoints: points}
      if (!(error instanceof SvcError)) throw error
      return {code: error.exitCode, crashed: false, error, checkpoints: points}
    } finally {
      if (state.dead) {
        journal.close()
        // The next run must see that the process of this one has ended.
        markProcessGone(journalFile, owner)
      } else this.#idle.set(journalFile, [...(this.#idle.get(journalFile) ?? []), journal])
    }
  }

  // Deletes the journal.
  lose(journalFile: string): void {
    for (const journal of this.#idle.get(journalFile) ?? []) journal.close()
    this.#idle.delete(journalFile)
    this.#readers.get(journalFile)?.database.close()
    this.#readers.delete(journalFile)
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(journalFile + suffix, {force: true})
  }

  #prepare(journalFile: string, sql: string): StatementSync {
    const reader = this.#readers.get(journalFile) ?? {database: new DatabaseSync(journalFile), statements: new Map()}
    this.#readers.set(journalFile, reader)
    const statement = reader.statements.get(sql) ?? reader.database.prepare(sql)
    reader.statements.set(sql, statement)
    return statement
  }

  // Runs repeatedly as cron would, with time in between, until it is paid or the maximum of runs is reached.
  async untilPaid(options: RunOptions, times = 14, everyMs = 3.5 * minuteMs): Promise<Outcome> {
    let outcome = await this.run(options)
    for (let again = 1; again < times && outcome.code !== 0; again++) {
      this.advance(everyMs)
      outcome = await this.run(options)
    }
    return outcome
  }

  #createContext({crashAt, crashAfter = 0, waitMs = 5_000, onCheckpoint, ...options}: RunOptions, journal: Journal) {
    const state = {dead: false}
    const points: Checkpoint[] = []
    const owner = {...describeThisProcess(), ...options.owner}
    const clock = createServerClock(this.now, this.now)
    const client = createClient({
      baseUrl: 'http://localhost',
      fetch: this.fetch,
      credential: async () => this.sandbox.apiKey,
      renewable: false,
      callerLabel: 'the test',
      gate: {enforce: () => {}},
      userAgent: 'svc/test',
      requestTimeoutMs,
      retriesReads: false,
      onReply: ({headers}) => clock.observeDate(headers.get('date')),
    })
    const endsAt = this.now() + waitMs
    const context: PaymentContext = {
      service: failWhenDead(createService(client), state) as Service,
      journal: failWhenDead(journal, state) as Journal,
      clock,
      owner,
      spending: options.spending ?? {},
      mayResend: options.mayResend ?? true,
      areKeysHonoured: options.areKeysHonoured ?? false,
      listLagMaxMs: listLagDefaultMs,
      pause: async (ms) => {
        if (state.dead) throw new Crash()
        this.advance(ms)
        await new Promise(setImmediate)
      },
      remainingMs: () => Math.max(0, endsAt - this.now()),
      checkpoint: (point) => {
        points.push(point)
        void onCheckpoint?.(point)
        if (point !== crashAt || points.filter((one) => one === point).length <= crashAfter) return
        state.dead = true
        throw new Crash(`at ${point}`)
      },
      findListed: options.findListed,
      onContentChanged: options.onContentChanged,
    }
    return {context, points, owner, state}
  }

  // Everything that a journal has about a key, as text.
  dump(journalFile: string, key: string): string {
    const tables = ['payments', 'history'].map((table) =>
      this.#prepare(journalFile, `select * from ${table} where serviceId = ? and key = ?`).all(serviceId, key),
    )
    return JSON.stringify(tables)
  }

  row(journalFile: string, key: string): Row | undefined {
    const sql = 'select payment from payments where serviceId = ? and key = ?'
    const found = this.#prepare(journalFile, sql).get(serviceId, key)
    return found && (JSON.parse(String(found['payment'])) as Row)
  }

  close(): void {
    for (const journalFile of new Set([...this.#idle.keys(), ...this.#readers.keys()])) this.lose(journalFile)
    this.#reader.close()
    this.sandbox.close()
    fs.rmSync(this.folder, {recursive: true, force: true})
  }
}

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

function markProcessGone(journalFile: string, {run}: LeaseOwner): void {
  const database = new DatabaseSync(journalFile, {timeout: 5_000})
  database
    .prepare("update payments set owner = json_set(owner, '$.began', 'gone') where json_extract(owner, '$.run') = ?")
    .run(run)
  database.close()
}
