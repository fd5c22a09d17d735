// Rows for payout files: rows a second against the bare requests, and how a limit of the service is kept.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import {root} from '../surface.ts'
import {send} from './load.ts'
import {type Bench, type Cost, type Row, takeTurns} from './row.ts'
import {runTimed, toRate} from './run-timed.ts'
import {type Server, bin, logIn, prepare, start, startSandbox} from './sandbox.ts'

const usualRounds = 3
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
  name: string,
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

// The baseline: the same two requests for every row over as many keep-alive connections.
async function measureBare({server, body}: Paying, rows: number, connections: number): Promise<number> {
  const {url, apiKey = ''} = server
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
      const made = JSON.stringify({quoteId, correlationId: key})
      await post('/transactions', made, {'x-idempotency-key': randomUUID()})
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({length: connections}, worker))
  agent.destroy()
  return rows / ((performance.now() - begun) / 1000)
}

interface Paying {
  server: Server
  folder: string
  body: string
  env: NodeJS.ProcessEnv
}

let files = 0

// Rows a second of one run. A file of its own each time, since keys that were paid are not paid again. Its rows are alike.
async function measurePayouts({folder, body, env}: Paying, rows: number, places?: number): Promise<Cost> {
  const file = payoutFile(folder, rows, JSON.parse(body) as Route, `run-${files++}`)
  const pace = places === undefined ? [] : ['--concurrency', String(places)]
  const args = ['payouts', 'run', file, '--yes', '--allow-duplicates', '--quiet', ...pace]
  return toRate(rows, await runTimed([process.execPath, bin, ...args], env))
}

// The service's disk is not measured, and the journal must not wait for it.
const shareSandbox = ({share, folder}: Bench): Promise<Paying> =>
  share('payouts', async () => {
    const own = fs.mkdtempSync(path.join(folder, 'payouts-'))
    const memory = fs.existsSync(memoryDisk) ? fs.mkdtempSync(path.join(memoryDisk, 'svc-bench-')) : own
    const data = path.join(memory, 'payouts.sqlite')
    const body = await prepare(data)
    const server = await startSandbox(bin, data)
    const close = () => {
      server.process.kill()
      fs.rmSync(memory, {recursive: true, force: true})
    }
    return {value: {server, folder: own, body, env: logIn(own, server)}, close}
  })

// A service that does nothing but answer takes any ids.
const anyRoute: Route = {
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

const shareMemoryService = ({share, folder}: Bench, ...args: string[]): Promise<Paying> =>
  share(`memory service ${args.join(' ')}`, async () => {
    const own = fs.mkdtempSync(path.join(folder, 'payouts-'))
    const server = await start([process.execPath, path.join(root, 'scripts/bench/memory-service.ts'), ...args])
    const value = {server, folder: own, body: JSON.stringify(anyRoute), env: logIn(own, server)}
    return {value, close: () => void server.process.kill()}
  })

interface Size {
  rows: number
  places: number
}

const createRow = (
  name: string,
  title: string,
  atLeast: number,
  {rows, places}: Size,
  share: (bench: Bench) => Promise<Paying>,
): Row => ({
  name,
  title,
  unit: 'rows/s',
  comparator: {
    name: 'a loop with the same two requests for each row',
    leavesOut: 'a journal with its durable writes, the file and its checks, caps, retries and the report',
  },
  bound: {atLeast},
  measure: async (bench) => {
    const paying = await share(bench)
    return takeTurns(
      bench.countRounds(usualRounds),
      () => measurePayouts(paying, rows, places),
      async () => ({value: await measureBare(paying, rows, places)}),
      0,
    )
  },
})

const limitedRows = 1_000
const requestsPerSecond = 20

const limitedRow: Row = {
  name: 'payouts-limited',
  title: `payouts, requests that a service refuses which takes ${requestsPerSecond} in a second`,
  unit: '%',
  bound: {atMost: 1},
  measure: async (bench) => {
    const paying = await shareMemoryService(bench, '--limit', String(requestsPerSecond))
    await measurePayouts(paying, limitedRows)
    const {text} = await send(paying.server.url, undefined, {method: 'GET', path: '/_counts'})
    const {requests, refused} = JSON.parse(text) as {requests: number; refused: number}
    return [{own: {value: (refused / requests) * 100}}]
  },
}

const usual: Size = {rows: 10_000, places: 4}
const slow: Size = {rows: 4_000, places: 16}

export const payoutRows: readonly Row[] = [
  createRow('payouts', 'payouts of 10,000 rows', 0.65, usual, shareSandbox),
  createRow('payouts-fast', 'payouts, a service that answers from memory', 0.42, usual, (bench) =>
    shareMemoryService(bench),
  ),
  createRow('payouts-50ms', 'payouts, 16 rows at a time, a service that answers in 50 ms', 0.98, slow, (bench) =>
    shareMemoryService(bench, '--delay', '50'),
  ),
  limitedRow,
]
