// Rows for a payout file of 10,000 rows: rows a second against the bare requests, and whether memory stays flat.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import {root} from '../surface.ts'
import {send} from './load.ts'
import {spread} from './report.ts'
import {type Bench, type Cost, type Row, type SizeCost, takeTurns} from './row.ts'
import {type TimedRun, runTimed} from './run-timed.ts'
import {type Server, prepare, startSandbox} from './sandbox.ts'

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

// Runs the whole command. The sandbox honours keys; where that is not known, each row is looked for again before it is sent.
function runPayouts({server, folder}: Paying, file: string, svcFolder: string): Promise<TimedRun> {
  const args = ['payouts', 'run', file, '--yes', '--concurrency', String(concurrency), '--quiet']
  const env = {
    ...process.env,
    SVC_BASE_URL: server.url,
    SVC_API_KEY: server.apiKey ?? '',
    // Another svc has another journal.
    SVC_CONFIG_DIR: path.join(folder, path.basename(svcFolder)),
    SVC_PROFILE: undefined,
    SVC_RESEND: 'always',
  }
  return runTimed([process.execPath, path.join(svcFolder, 'bin/run.js'), ...args], {env, memory: true})
}

// The baseline: the same two requests for every row over as many keep-alive connections, without a journal.
async function measureBare({url, apiKey = ''}: Server, body: string, rows: number): Promise<number> {
  const agent = new http.Agent({keepAlive: true, maxSockets: concurrency})
  const headers = {authorization: `Bearer ${apiKey}`}
  let next = 0
  const post = async (at: string, text: string, more: Record<string, string> = {}) => {
    const answer = await send(url, agent, {method: 'POST', path: at, headers: {...headers, ...more}, body: text})
    if (answer.status !== 200) throw new Error(`POST ${at} was answered ${answer.status}: ${answer.text}`)
    return JSON.parse(answer.text) as Record<string, string>
  }
  const worker = async () => {
    while (next++ < rows) {
      const {quoteId} = await post('/quotes', body)
      const made = JSON.stringify({quoteId, correlationId: `svc_${next}`})
      await post('/transactions', made, {'x-idempotency-key': randomUUID()})
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({length: concurrency}, worker))
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
  svcFolder = root,
): Promise<{cost: Cost & {byCpu: number}; megabytes: number}> {
  const file = payoutFile(paying.folder, rows, JSON.parse(paying.body) as Route, `run-${files++}`)
  const {ms, cpuMs, megabytes} = await runPayouts(paying, file, svcFolder)
  return {cost: {value: rows / (ms / 1000), byCpu: rows / (cpuMs / 1000)}, megabytes}
}

const payoutsRow: Row = {
  name: 'payouts',
  title: 'payouts of 10,000 rows',
  unit: 'rows/s',
  comparator: {
    name: 'a loop with the same two requests for each row',
    leavesOut: 'a journal with its durable writes, the file and its checks, caps, retries and the report',
  },
  bound: {atLeast: 0.9},
  sizeUnit: 'rows',
  measure: async (bench) => {
    const paying = await sharePaying(bench)
    const sizes: SizeCost[] = []
    for (const size of rowsFewer) sizes.push({size, value: (await measureRows(paying, size)).cost.value})
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      async () => ({value: (await measureRows(paying, rowsMany)).cost.value}),
      async () => ({value: await measureBare(paying.server, paying.body, rowsMany)}),
      0,
    )
    sizes.push({size: rowsMany, value: spread(rounds.map(({own}) => own.value)).median})
    return {rounds, sizes}
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
    const measure = async (folder: string) => (await measureRows(paying, rowsCompared, folder)).cost
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

export const payoutRows: readonly Row[] = [payoutsRow, beforeRow, memoryRow]
