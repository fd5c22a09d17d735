// A stage for payments: a sandbox with a clock that stands still until it is moved, journals, and runs that can end anywhere.
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
import {openJournal} from '../../src/payments/journal/sqlite-journal.ts'
import type {Checkpoint, PaymentContext} from '../../src/payments/context.ts'
import type {Behaviours} from '../../src/sandbox/faults/behaviours.ts'
import type {NewFault} from '../../src/sandbox/faults/faults.ts'
import {openSandbox, type Sandbox} from '../../src/sandbox/sandbox.ts'

export const noon = new Date('2026-11-15T12:00:00Z')
export const serviceId = 'https://service.example'
export const minuteMs = 60_000
const requestTimeoutMs = 30_000
// The log of requests is nothing that these tests look at.
const logBatchMs = 60_000

// In memory where the machine has such a folder: thousands of commits need not wait for a disk to prove an order of steps.
const temporaryRoot = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()

const newFolder = () => fs.mkdtempSync(path.join(temporaryRoot, 'svc-payments-'))

export interface PreparedSandbox {
  folder: string
  file: string
  content: PaymentContent
}

// One sandbox for a file of tests, made once: each stage is a copy of it.
export function prepareSandbox(): PreparedSandbox {
  const folder = newFolder()
  const file = path.join(folder, 'prepared.sqlite')
  const sandbox = openSandbox({file, seed: 'payments', frozenAt: noon})
  const content = contentIn(sandbox, file)
  sandbox.money.fund(content.source.sourcePaymentAccountId, '1000000')
  sandbox.close()
  return {folder, file, content}
}

function contentIn(sandbox: Sandbox, file: string): PaymentContent {
  const database = new DatabaseSync(file)
  // The one with the shortest list, since every cell reads it several times.
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

// The process ends here: whatever it would still do, it does not.
class Crash extends Error {
  override name = 'Crash'
}

export interface RunOptions {
  key: string
  journalFile: string
  // Where the run ends as if the process had been killed, at the first or a later time that it comes there.
  crashAt?: Checkpoint | undefined
  crashAfter?: number | undefined
  waitMs?: number | undefined
  owner?: Partial<LeaseOwner> | undefined
  limits?: PriceLimits | undefined
  spending?: SpendingLimits | undefined
  mayResend?: boolean | undefined
  amount?: string | undefined
  onCheckpoint?: ((point: Checkpoint) => void | Promise<void>) | undefined
  findListed?: PaymentContext['findListed']
}

export interface Outcome {
  // What the command would end with; undefined for a run that was killed.
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
  // Every request that reached the service, as method and path.
  requests: string[] = []
  #journals = 0
  readonly #clock: StatementSync
  #nowMs: number | undefined
  readonly #made: StatementSync
  readonly #mover: StatementSync
  // Journals are opened once and used by one run after the other, unless a run is killed.
  readonly #idle = new Map<string, Journal[]>()
  readonly #readers = new Map<string, DatabaseSync>()

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
  // As the clock's own control does it; what falls due happens with the next request.
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

  // The transactions that the service has for a key, whatever its lists show.
  made(key: string): string[] {
    return this.#made
      .all(this.content.customerId.toLowerCase(), deriveCorrelationId(serviceId, key))
      .map(({transactionId}) => String(transactionId))
  }

  // Takes what was made out of the customer's list, so that the next cell has a short one to read.
  tidy(): void {
    this.#reader
      .prepare(
        `update transactions set customerId = (select customerId from customers where customerId <> :ours limit 1)
         where customerId = :ours and json_extract(reply, '$.correlationId') is not null`,
      )
      .run({ours: this.content.customerId.toLowerCase()})
  }

  // The client's fetch, in process: a fault is the same failure of the wire that it would be on a network, and a wait
  // is time that passes.
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

  // One run of one payment, as a process of its own would do it; what it came to, and at which points it was.
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
        // Its process is gone, which the next one would see.
        markProcessGone(journalFile, owner)
      } else this.#idle.set(journalFile, [...(this.#idle.get(journalFile) ?? []), journal])
    }
  }

  // The disk with the journal is gone.
  lose(journalFile: string): void {
    for (const journal of this.#idle.get(journalFile) ?? []) journal.close()
    this.#idle.delete(journalFile)
    this.#readers.get(journalFile)?.close()
    this.#readers.delete(journalFile)
    for (const suffix of ['', '-wal', '-shm']) fs.rmSync(journalFile + suffix, {force: true})
  }

  #readerOf(journalFile: string): DatabaseSync {
    const reader = this.#readers.get(journalFile) ?? new DatabaseSync(journalFile)
    this.#readers.set(journalFile, reader)
    return reader
  }

  // Runs again and again as cron would, time passing in between, until it is paid or the runs are used up.
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
    }
    return {context, points, owner, state}
  }

  // Everything that a journal holds of a key, as text.
  dump(journalFile: string, key: string): string {
    const tables = ['payments', 'history'].map((table) =>
      this.#readerOf(journalFile).prepare(`select * from ${table} where key = ?`).all(key),
    )
    return JSON.stringify(tables)
  }

  row(journalFile: string, key: string): Row | undefined {
    const found = this.#readerOf(journalFile).prepare('select payment from payments where key = ?').get(key)
    return found && (JSON.parse(String(found['payment'])) as Row)
  }

  close(): void {
    for (const journalFile of new Set([...this.#idle.keys(), ...this.#readers.keys()])) this.lose(journalFile)
    this.#reader.close()
    this.sandbox.close()
    fs.rmSync(this.folder, {recursive: true, force: true})
  }
}

// Whoever is dead asks nothing and writes nothing.
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
