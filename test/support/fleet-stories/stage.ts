// The stage of a fleet story: a PostgreSQL server behind a proxy, a scripted service whose ledger is known, and real workers.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {deriveCorrelationId} from '../../../src/payments/protocol/payment.ts'
import {prepareFleet, readMetrics} from '../fleet.ts'
import {PostgresProxy} from '../postgres-proxy.ts'
import {PostgresServer} from '../postgres-server.ts'
import {runSql} from '../postgres.ts'
import {type PaymentService, servePayments} from '../scripted-service.ts'
import {type Home, type RunResult, bin, createHome, root, run} from '../svc.ts'
import type {LedgerEntry} from '../word-oracle.ts'
import type {FleetStory, StoryBatch} from './story.ts'

const clockFile = path.join(root, 'scripts/shift-clock.mjs')
const serviceId = 'story'
const minuteMs = 60_000
const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount'

// Kinds of what svc says. `work` is the end of a worker, and `log` what it wrote until then.
export type SaidKind =
  | 'submit'
  | 'status'
  | 'result'
  | 'file'
  | 'metrics'
  | 'journal'
  | 'reconcile'
  | 'report'
  | 'notifications'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'work'
  | 'log'

export interface Said extends RunResult {
  kind: SaidKind
  // The batch that it is about, if it is about one.
  batch?: number | undefined
  // The clock of the story when the command began and when it had ended.
  fromMs: number
  toMs: number
  // How far ahead the clock of the process was.
  shiftMs: number
  // After everything has ended.
  isFinal: boolean
  // Of a worker: the batches that had not ended when it began, and those that it opened again for what was unsettled.
  openBatches?: readonly string[]
}

// The server of many stories, one after the other. Each has a database of its own.
export class StoryServer {
  readonly #folder: string
  readonly postgres: PostgresServer
  #count = 0

  private constructor(folder: string) {
    this.#folder = folder
    this.postgres = new PostgresServer(path.join(folder, 'postgres'))
  }

  static async start(): Promise<StoryServer> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-stories-'))
    fs.chmodSync(folder, 0o755)
    const server = new StoryServer(folder)
    await server.postgres.create()
    await server.postgres.start()
    await server.run('create database template_story')
    await prepareFleet(server.postgres.getAddress('template_story'))
    return server
  }

  run(...statements: string[]) {
    return runSql(this.postgres.getAddress(), ...statements)
  }

  // Cuts all connections to a database, since it can be copied and renamed only without any.
  endBackends(database: string) {
    return this.run(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}'`)
  }

  async createDatabase(): Promise<{name: string; folder: string}> {
    this.#count += 1
    const name = `story_${this.#count}`
    await this.run(`create database ${name} template template_story`)
    return {name, folder: fs.mkdtempSync(path.join(this.#folder, 'story-'))}
  }

  async stop(): Promise<void> {
    await this.postgres.stop()
    fs.rmSync(this.#folder, {recursive: true, force: true})
  }
}

export interface StoryWorker {
  process: ChildProcess
  ended: Promise<number | null>
}

export class FleetStage {
  readonly said: Said[] = []
  // When a standby took over, and what it lacked: what was committed between these times.
  readonly lost: Array<{fromMs: number; toMs: number}> = []
  readonly service: PaymentService
  readonly proxy: PostgresProxy
  readonly story: FleetStory
  // Of a row of one batch, and whose transaction is whose.
  readonly #keysByCorrelation: Map<string, string>
  readonly #madeMs = new Map<string, number>()
  readonly #jumps: Array<{atMs: number; offsetMs: number}> = []
  readonly #server: StoryServer
  readonly #database: {name: string; folder: string}
  readonly #home: Home
  readonly #close: () => void
  #shiftMs = 0

  private constructor(
    story: FleetStory,
    server: StoryServer,
    parts: {service: PaymentService; proxy: PostgresProxy; close: () => void; database: {name: string; folder: string}},
  ) {
    this.story = story
    this.#server = server
    this.service = parts.service
    this.proxy = parts.proxy
    this.#close = parts.close
    this.#database = parts.database
    const keys = story.batches.flatMap(({rows}) => rows.map(({key}) => key))
    this.#keysByCorrelation = new Map(keys.map((key) => [deriveCorrelationId(serviceId, key), key]))
    const {folder, env} = createHome(parts.database.folder)
    const own = {SVC_SERVICE: serviceId, SVC_RESEND: story.resend, SVC_REQUEST_TIMEOUT: '3s', SVC_JOURNAL: this.address}
    this.#home = {folder, env: {...env, ...parts.service.env, ...own}}
    this.service.alter = (transaction) => {
      this.#madeMs.set(String(transaction['transactionId']), Date.now())
      return transaction
    }
  }

  static async open(story: FleetStory, server: StoryServer): Promise<FleetStage> {
    const database = await server.createDatabase()
    const closing: Array<() => void> = []
    const service = await servePayments(story.behaviour, (close) => closing.push(close))
    const proxy = await PostgresProxy.open(server.postgres.getAddress(database.name))
    const close = () => closing.forEach((one) => one())
    return new FleetStage(story, server, {service, proxy, close, database})
  }

  get address(): string {
    return this.#server.postgres.getAddress(this.#database.name)
  }

  // The keys of requests that the service answered with a refusal.
  listRefusedKeys(): string[] {
    const ids = this.service.refused.map(({body}) => /"correlationId":"([^"]*)"/.exec(body)?.[1] ?? '')
    return ids.flatMap((id) => this.#keysByCorrelation.get(id) ?? [])
  }

  // What the service really has, with the times of this story.
  readLedger(): LedgerEntry[] {
    const {ledger, behaviour} = this.service
    ledger.catchUp()
    return ledger.made.map(({item, correlationId = ''}) => {
      const id = String(item['transactionId'])
      const key = this.#keysByCorrelation.get(correlationId) ?? ''
      const listedAt = Date.parse(String(item['createdAt'])) + behaviour.listLagMs
      const listedMs = behaviour.lostIds.has(id) ? Infinity : this.#toStoryTime(listedAt)
      return {key, id, madeMs: this.#madeMs.get(id) ?? 0, listedMs, status: String(item['transactionStatus'])}
    })
  }

  // When the clock of the service showed this time.
  #toStoryTime(serviceMs: number): number {
    let offsetMs = 0
    for (const jump of this.#jumps) {
      if (serviceMs < jump.atMs + offsetMs) break
      if (serviceMs < jump.atMs + jump.offsetMs) return jump.atMs
      offsetMs = jump.offsetMs
    }
    return serviceMs - offsetMs
  }

  writeFile({name, rows}: StoryBatch): string {
    const lines = rows.map(
      ({key, customer, amount}) =>
        `${key},${customer},wallet-${customer},USDC,SOLANA,external-${customer},USDC,SOLANA,${amount}`,
    )
    fs.writeFileSync(path.join(this.#home.folder, `${name}.csv`), `${[header, ...lines].join('\n')}\n`)
    return `${name}.csv`
  }

  readFile(name: string): string {
    const file = path.join(this.#home.folder, name)
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
  }

  // Runs a command, and keeps what it says.
  async tell(
    kind: SaidKind,
    args: readonly string[],
    {batch, isFinal = false}: {batch?: number; isFinal?: boolean} = {},
  ) {
    const fromMs = this.#look()
    // Only these compare the clock of the machine with that of the service.
    const isTimed = kind === 'reconcile' || kind === 'report'
    const result = await (isTimed ? this.#runShifted(args) : run(this.#home, args))
    const toMs = this.#look()
    const said: Said = {...result, kind, batch, fromMs, toMs, shiftMs: this.#shiftMs, isFinal}
    this.said.push(said)
    return said
  }

  // What a worker serves as its metrics.
  async tellMetrics(isFinal: boolean): Promise<void> {
    const fromMs = this.#look()
    const out = await readMetrics(this.address, serviceId)
    const toMs = this.#look()
    this.said.push({kind: 'metrics', code: 0, out, err: '', fromMs, toMs, shiftMs: this.#shiftMs, isFinal})
  }

  // What is due by now is made before the time is taken.
  #look(): number {
    this.readLedger()
    return Date.now()
  }

  // A process of its own, whose clock is where that of the service is.
  async #runShifted(args: readonly string[]): Promise<RunResult> {
    const {child, read} = this.#spawn(args, this.address)
    const [code] = (await once(child, 'close')) as [number | null]
    return {code, ...read()}
  }

  #spawn(args: readonly string[], journal: string) {
    const env = {...this.#home.env, SVC_JOURNAL: journal, SHIFT_CLOCK_MS: String(this.#shiftMs)}
    const child = spawn(process.execPath, ['--import', clockFile, bin, ...args], {
      cwd: this.#home.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    return {child, read: () => ({out, err})}
  }

  // A worker behind the proxy. What it logs and how it ends is kept when it has ended.
  startWorker(): StoryWorker {
    return this.#startWorker([], [])
  }

  // One that ends when nothing is left to do.
  async startLastWorker(): Promise<StoryWorker> {
    const batches = await this.sql('select id, name, ended_at from svc.batches')
    return this.#startWorker(['--until-idle'], batches)
  }

  #startWorker(flags: readonly string[], batches: ReadonlyArray<Record<string, unknown>>): StoryWorker {
    const notify = 'cat >> told.jsonl && echo >> told.jsonl'
    const args = [
      'payouts',
      'work',
      '--yes',
      '--listen',
      'off',
      '--concurrency',
      '2',
      '--grace',
      '400ms',
      '--log',
      'json',
    ]
    const fromMs = Date.now()
    const {child, read} = this.#spawn([...args, '--on-result', notify, ...flags], this.proxy.address)
    const shiftMs = this.#shiftMs
    const isIdleEnd = flags.includes('--until-idle')
    const ended = once(child, 'close').then(([code]: Array<number | null>) => {
      const toMs = this.#look()
      const common = {...read(), code: code ?? null, fromMs, toMs, shiftMs, isFinal: false}
      this.said.push({...common, kind: 'log'})
      const open = batches.filter(({id, ended_at}) => ended_at === null || common.err.includes(String(id)))
      const openBatches = open.map(({name}) => String(name))
      if (isIdleEnd) this.said.push({...common, kind: 'work', openBatches})
      return code ?? null
    })
    return {process: child, ended}
  }

  sql(...statements: string[]) {
    return runSql(this.address, ...statements)
  }

  async countOpenBatches(): Promise<number> {
    const [row] = await this.sql('select count(*)::integer as n from svc.batches where ended_at is null')
    return Number(row?.['n'])
  }

  // Whether a worker has something to do, or will have within a moment.
  async isBusy(): Promise<boolean> {
    const [row] = await this.sql(
      `select exists (select from svc_jobs.job where (state < 'active' and start_after <= now() + interval '1 second'
         or state = 'active') and name like 'batch.%') as busy`,
    )
    return row?.['busy'] === true
  }

  endBackends() {
    return this.#server.endBackends(this.#database.name)
  }

  async killServer(downMs: number): Promise<void> {
    await this.#server.postgres.kill()
    await sleep(downMs)
    await this.#server.postgres.start()
  }

  // What was committed after this is lost when the result is called: the database is then as it is now.
  async copyDatabase(): Promise<() => Promise<void>> {
    const {name} = this.#database
    const change = async (...statements: string[]) => {
      this.proxy.down()
      await this.endBackends()
      await this.#server.run(...statements)
      this.proxy.up()
    }
    const fromMs = Date.now()
    await change(`create database ${name}_standby template ${name}`)
    return async () => {
      await change(`alter database ${name} rename to ${name}_lost`, `alter database ${name}_standby rename to ${name}`)
      this.lost.push({fromMs, toMs: this.#look()})
    }
  }

  // As after a silence of minutes: the queue gives the jobs of workers to others, and their leases have ended.
  async giveUpWorkers(): Promise<void> {
    await this.sql(
      `update svc_jobs.job set state = 'retry' where state = 'active' and name like 'batch.%'`,
      `update svc.payments set renewed_at = renewed_at - 300000 where owner is not null`,
    )
  }

  // Time passes for the service, for processes that start from now on, and for what waits in the queue.
  async passTime(minutes: number): Promise<void> {
    const ms = minutes * minuteMs
    this.service.clock.advance(ms)
    this.#shiftMs += ms
    this.#jumps.push({atMs: Date.now(), offsetMs: this.#shiftMs})
    await this.giveUpWorkers()
    await this.sql(`update svc_jobs.job set start_after = now() where state < 'active'`)
  }

  async close(): Promise<void> {
    await this.proxy.close()
    this.#close()
    const {name, folder} = this.#database
    const names = [name, `${name}_lost`, `${name}_standby`]
    for (const one of names) await this.#server.run(`drop database if exists ${one} with (force)`)
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
