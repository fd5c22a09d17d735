// Rows for a payout file of 10,000 rows: rows a second against the bare requests, and whether memory stays flat.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {root} from '../surface.ts'
import {send} from './load.ts'
import {spread} from './report.ts'
import {type Bench, type Cost, type Round, type Row, type SizeCost, takeTurns} from './row.ts'
import {type TimedRun, runTimed} from './run-timed.ts'
import {type Server, prepare, start, startSandbox} from './sandbox.ts'

const usualRounds = 3
const rowsMany = 10_000
const rowsFewer = [1_000, 3_000]
const concurrency = 4
const memoryDisk = '/dev/shm'

export interface Route {
  customerId: string
  source: {sourcePaymentAccountId: string; sourceCurrency: string; sourcePaymentMethod: string; sourceAmount: string}
  destination: {destinationPaymentAccountId: string; destinationCurrency: string; destinationPaymentMethod: string}
}

export function payoutFile(
  folder: string,
  rows: number,
  {customerId, source, destination}: Route,
  name = `row-${rows}`,
): string {
  const file = path.join(folder, `payouts-${name}.csv`)
  const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount\n'
  const route = [
    customerId,
    source.sourcePaymentAccountId,
    source.sourceCurrency,
    source.sourcePaymentMethod,
    destination.destinationPaymentAccountId,
    destination.destinationCurrency,
    destination.destinationPaymentMethod,
    source.sourceAmount,
  ].join(',')
  fs.writeFileSync(file, header + Array.from({length: rows}, (_, index) => `${name}-${index},${route}\n`).join(''))
  return file
}

interface Paying {
  server: Server
  folder: string
  body: string
}

interface RunOptions {
  svcFolder?: string
  // How many rows at a time, or as many as svc finds out.
  places?: string
}

// Runs the whole command. The sandbox honours keys; where that is not known, each row is looked for again before it is sent.
function runPayouts(
  {server, folder}: Paying,
  file: string,
  {svcFolder = root, places = String(concurrency)}: RunOptions,
): Promise<TimedRun> {
  const args = ['payouts', 'run', file, '--yes', ...(places === 'found' ? [] : ['--concurrency', places]), '--quiet']
  const env = {
    ...process.env,
    SVC_BASE_URL: server.url,
    SVC_API_KEY: server.apiKey ?? '',
    // Another svc has another journal.
    SVC_CONFIG_DIR: path.join(folder, path.basename(svcFolder)),
    SVC_PROFILE: undefined,
    SVC_RESEND: 'always',
    // The rows of these files are alike.
    SVC_DUPLICATE_WINDOW: '0',
  }
  return runTimed([process.execPath, path.join(svcFolder, 'bin/run.js'), ...args], {env, memory: true})
}

// What a loop does before and after the request that pays.
interface LeastJournal {
  arm: (key: string) => Promise<void>
  record: (key: string, transactionId: string) => Promise<void>
}

// The baseline: the same two requests for every row over as many keep-alive connections, without a journal or with the least one.
async function measureBare(
  {url, apiKey = ''}: Server,
  body: string,
  rows: number,
  {connections = concurrency, journal}: {connections?: number; journal?: LeastJournal} = {},
): Promise<number> {
  const agent = new http.Agent({keepAlive: true, maxSockets: connections})
  const headers = {authorization: `Bearer ${apiKey}`}
  let next = 0
  const post = async (at: string, text: string, more: Record<string, string> = {}) => {
    const answer = await send(url, agent, {method: 'POST', path: at, headers: {...headers, ...more}, body: text})
    if (answer.status !== 200) throw new Error(`POST ${at} was answered ${answer.status}: ${answer.text}`)
    return JSON.parse(answer.text) as Record<string, string>
  }
  const worker = async () => {
    while (next++ < rows) {
      const key = `svc_${next}`
      const {quoteId} = await post('/quotes', body)
      await journal?.arm(key)
      const made = JSON.stringify({quoteId, correlationId: key})
      const {transactionId = ''} = await post('/transactions', made, {'x-idempotency-key': randomUUID()})
      await journal?.record(key, transactionId)
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({length: connections}, worker))
  agent.destroy()
  return rows / ((performance.now() - begun) / 1000)
}

// The service's disk is not measured, and the journal must not wait for it.
const sharePaying = ({share, folder}: Bench): Promise<Paying> =>
  share('payouts', async () => {
    const memory = fs.existsSync(memoryDisk) ? fs.mkdtempSync(path.join(memoryDisk, 'svc-bench-')) : folder
    const own = fs.mkdtempSync(path.join(folder, 'payouts-'))
    const data = path.join(memory, 'payouts.sqlite')
    const body = await prepare(data)
    const server = await startSandbox(path.join(root, 'bin/run.js'), data)
    const close = () => {
      server.process.kill()
      if (memory !== folder) fs.rmSync(memory, {recursive: true, force: true})
    }
    return {value: {server, folder: own, body}, close}
  })

let files = 0

// A file of its own each time, since keys that were paid are not paid again.
async function measureRows(
  paying: Paying,
  rows: number,
  options: RunOptions = {},
): Promise<{cost: Cost & {byCpu: number}; megabytes: number}> {
  const file = payoutFile(paying.folder, rows, JSON.parse(paying.body) as Route, `run-${files++}`)
  const {ms, cpuMs, megabytes} = await runPayouts(paying, file, options)
  return {cost: {value: rows / (ms / 1000), byCpu: rows / (cpuMs / 1000)}, megabytes}
}

const describeCpu = (rounds: readonly Round[]): string => {
  const ms = spread(rounds.map(({own}) => 1000 / (own.byCpu ?? Number.NaN))).median
  return `CPU of a row: svc ${ms.toFixed(2)} ms`
}

const payoutsRow: Row = {
  name: 'payouts',
  title: 'payouts of 10,000 rows',
  unit: 'rows/s',
  comparator: {
    name: 'a loop with the same two requests for each row',
    leavesOut: 'a journal with its durable writes, the file and its checks, caps, retries and the report',
  },
  bound: {atLeast: 0.65},
  sizeUnit: 'rows',
  measure: async (bench) => {
    const paying = await sharePaying(bench)
    const sizes: SizeCost[] = []
    for (const size of rowsFewer) sizes.push({size, value: (await measureRows(paying, size)).cost.value})
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      async () => (await measureRows(paying, rowsMany)).cost,
      async () => ({value: await measureBare(paying.server, paying.body, rowsMany)}),
      0,
    )
    sizes.push({size: rowsMany, value: spread(rounds.map(({own}) => own.value)).median})
    return {rounds, sizes, note: describeCpu(rounds)}
  },
}

// Another built folder of svc, such as a worktree of an earlier commit: BENCH_BEFORE=../before npm run bench -- payouts-before
const folderBefore = process.env['BENCH_BEFORE']
const rowsCompared = Number(process.env['BENCH_ROWS'] ?? rowsMany)

const beforeRow: Row = {
  name: 'payouts-before',
  title: 'payouts, against another svc with the same sandbox',
  unit: 'rows/s',
  comparator: {name: 'the svc in the folder BENCH_BEFORE', leavesOut: 'nothing'},
  bound: {atLeast: 1},
  measure: async (bench) => {
    if (folderBefore === undefined) return bench.skip('BENCH_BEFORE names no other folder of svc')
    const paying = await sharePaying(bench)
    const measure = async (folder: string) => (await measureRows(paying, rowsCompared, {svcFolder: folder})).cost
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      () => measure(root),
      () => measure(path.resolve(folderBefore)),
      0,
    )
    return {rounds}
  },
}

const memoryRow: Row = {
  name: 'payouts-memory',
  title: 'payouts, peak memory of 10,000 rows',
  unit: 'MB',
  comparator: {name: 'that of 1,000 rows', leavesOut: 'nothing'},
  bound: {atMost: 2},
  sizeUnit: 'rows',
  measure: async (bench) => {
    const paying = await sharePaying(bench)
    const sizes: SizeCost[] = []
    for (const size of [...rowsFewer, rowsMany]) sizes.push({size, value: (await measureRows(paying, size)).megabytes})
    return {rounds: [{own: {value: sizes.at(-1)?.value ?? 0}, base: {value: sizes[0]?.value ?? 0}}], sizes}
  },
}

export const startMemoryService = (args: readonly string[]): Promise<Server> =>
  start([process.execPath, path.join(root, 'scripts/bench/memory-service.ts'), ...args])

// With services that do nothing but answer.
const shareMemoryService = ({share, folder}: Bench, name: string, args: readonly string[] = []): Promise<Paying> =>
  share(`memory service ${name}`, async () => {
    const own = fs.mkdtempSync(path.join(folder, 'payouts-'))
    const server = await startMemoryService(args)
    return {value: {server, folder: own, body: JSON.stringify(anyRoute)}, close: () => void server.process.kill()}
  })

// A service that does nothing but answer takes any ids.
export const anyRoute: Route = {
  customerId: randomUUID(),
  source: {
    sourcePaymentAccountId: randomUUID(),
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'BASE',
    sourceAmount: '10.00',
  },
  destination: {
    destinationPaymentAccountId: randomUUID(),
    destinationCurrency: 'USD',
    destinationPaymentMethod: 'ACH',
  },
}

const leavesOut = 'the file and its checks, caps, retries and the report'

const fastRow: Row = {
  name: 'payouts-fast',
  title: 'payouts, a service that answers from memory',
  unit: 'rows/s',
  comparator: {name: 'a loop with the same two requests for each row', leavesOut: `a journal, ${leavesOut}`},
  bound: {atLeast: 0.42},
  measure: async (bench) => {
    const paying = await shareMemoryService(bench, 'fast')
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      async () => (await measureRows(paying, rowsCompared)).cost,
      async () => ({value: await measureBare(paying.server, paying.body, rowsCompared)}),
      0,
    )
    return {rounds, note: describeCpu(rounds)}
  },
}

// One table, and two writes for each row, which share their syncs with those of other rows.
function openLeastJournal(file: string): LeastJournal & {close: () => void} {
  const database = new DatabaseSync(file)
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table rows (key text primary key, made text)',
  )
  const arm = database.prepare('insert into rows (key) values (?)')
  const record = database.prepare('update rows set made = ? where key = ?')
  let pending: Promise<void> | undefined
  const commitSoon = () =>
    (pending ??= new Promise((resolve, reject) => {
      database.exec('begin')
      setImmediate(() => {
        pending = undefined
        try {
          database.exec('commit')
          resolve()
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
    }))
  const write = (work: () => unknown) => {
    const written = commitSoon()
    work()
    return written
  }
  return {
    arm: (key) => write(() => arm.run(key)),
    record: (key, transactionId) => write(() => record.run(transactionId, key)),
    close: () => database.close(),
  }
}

const leastRow: Row = {
  name: 'payouts-least',
  title: 'payouts, a service that answers from memory',
  unit: 'rows/s',
  comparator: {name: 'that loop with the least durable journal', leavesOut},
  bound: {atLeast: 0.55},
  measure: async (bench) => {
    const paying = await shareMemoryService(bench, 'fast')
    const measureLeast = async () => {
      const journal = openLeastJournal(path.join(paying.folder, `least-${files++}.sqlite`))
      const value = await measureBare(paying.server, paying.body, rowsCompared, {journal})
      journal.close()
      return {value}
    }
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      async () => (await measureRows(paying, rowsCompared)).cost,
      measureLeast,
      0,
    )
    return {rounds}
  },
}

const slowRows = 4_000
const slowPlaces = 16

const slowRow: Row = {
  name: 'payouts-50ms',
  title: 'payouts, 16 rows at a time, a service that answers in 50 ms',
  unit: 'rows/s',
  comparator: {name: 'the loop with as many connections', leavesOut: `a journal, ${leavesOut}`},
  bound: {atLeast: 0.98},
  measure: async (bench) => {
    const paying = await shareMemoryService(bench, 'slow', ['--delay', '50'])
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      async () => (await measureRows(paying, slowRows, {places: String(slowPlaces)})).cost,
      async () => ({value: await measureBare(paying.server, paying.body, slowRows, {connections: slowPlaces})}),
      0,
    )
    return {rounds}
  },
}

const limitedRows = 1_000
const requestsPerSecond = 20

const limitedRow: Row = {
  name: 'payouts-limited',
  title: `payouts, requests that a service refuses which takes ${requestsPerSecond} in a second`,
  unit: '%',
  bound: {atMost: 1},
  measure: async (bench) => {
    const paying = await shareMemoryService(bench, 'limited', ['--limit', String(requestsPerSecond)])
    const {cost} = await measureRows(paying, limitedRows, {places: 'found'})
    const {text} = await send(paying.server.url, undefined, {method: 'GET', path: '/_counts'})
    const {requests, refused} = JSON.parse(text) as {requests: number; refused: number}
    const share = (cost.value * 2) / requestsPerSecond
    const note = `${refused} of ${requests} requests; ${(share * 100).toFixed(0)} % of what the service takes`
    return {rounds: [{own: {value: (refused / requests) * 100}}], note}
  },
}

export const payoutRows: readonly Row[] = [payoutsRow, fastRow, leastRow, slowRow, limitedRow, beforeRow, memoryRow]
