// Rows for payout files: rows a second against the bare requests, and how a limit of the service is kept.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {type Route, bin, toQuoteBody, writePayouts} from '../sandbox-server.ts'
import {runLoad, runTimed, toRate} from './measure.ts'
import type {Bench, Cost, Row} from './row.ts'
import {type Paying, logIn, routeAmount, startSandbox, startService} from './stage.ts'

const memoryDisk = '/dev/shm'

let files = 0

// The command that pays a file of its own each time, since keys that were paid are not paid again. Its rows are alike.
export function createPayoutCommand(verb: 'run' | 'submit', {folder, route}: Paying, rows: number): string[] {
  const file = path.join(folder, `payouts-${files++}.csv`)
  writePayouts(
    file,
    Array.from({length: rows}, (_, index) => ({key: `${files}-${index}`, amount: routeAmount, route})),
  )
  return [process.execPath, bin, 'payouts', verb, file, '--yes', '--allow-duplicates', '--quiet']
}

// Rows a second of one run.
export async function measurePayouts(paying: Paying, rows: number, places?: number): Promise<Cost> {
  const pace = places === undefined ? [] : ['--concurrency', String(places)]
  return toRate(rows, await runTimed([...createPayoutCommand('run', paying, rows), ...pace], paying.env))
}

// The same two requests for every row over as many keep-alive connections, without a journal, a file, caps, retries or a report.
async function measureBare({server, route}: Paying, rows: number, connections: number): Promise<Cost> {
  const quote = JSON.stringify(toQuoteBody(route, routeAmount))
  let next = 0
  const value = await runLoad(server, connections, async (send) => {
    if (next++ >= rows) return false
    const reply = await send({method: 'POST', path: '/quotes', body: quote})
    const {quoteId} = JSON.parse(reply) as {quoteId: string}
    const body = JSON.stringify({quoteId, correlationId: `svc_${next}`})
    await send({method: 'POST', path: '/transactions', headers: {'x-idempotency-key': randomUUID()}, body})
    return true
  })
  return {value}
}

// The service's disk is not measured, and the journal must not wait for it.
async function startOnMemory(bench: Bench): Promise<Paying> {
  if (!fs.existsSync(memoryDisk)) return startSandbox(bench, {transactions: 1000})
  const data = fs.mkdtempSync(path.join(memoryDisk, 'svc-bench-'))
  bench.onClose(() => fs.rmSync(data, {recursive: true, force: true}))
  return startSandbox(bench, {transactions: 1000, data})
}

// A service that does nothing but answer takes any ids.
const anyRoute: Route = {
  customerId: randomUUID(),
  source: {sourcePaymentAccountId: randomUUID(), sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE'},
  destination: {
    destinationPaymentAccountId: randomUUID(),
    destinationCurrency: 'USD',
    destinationPaymentMethod: 'ACH',
  },
}

async function startMemoryService(bench: Bench, ...flags: string[]): Promise<Paying> {
  const folder = fs.mkdtempSync(path.join(bench.folder, 'payouts-'))
  const server = await startService(bench, ...flags)
  return {server, folder, route: anyRoute, env: logIn(folder, server)}
}

const createRow = (
  name: string,
  title: string,
  atLeast: number,
  [rows, places]: readonly [number, number],
  start: (bench: Bench) => Promise<Paying>,
): Row => ({
  name,
  title,
  unit: 'rows/s',
  comparator: 'a loop with the same two requests for each row',
  bound: {atLeast},
  rounds: 3,
  warmUps: 0,
  open: async (bench) => {
    const paying = await start(bench)
    return {own: () => measurePayouts(paying, rows, places), base: () => measureBare(paying, rows, places)}
  },
})

const requestsPerSecond = 20

const limitedRow: Row = {
  name: 'payouts-limited',
  title: `payouts, requests that a service refuses which takes ${requestsPerSecond} in a second`,
  unit: '%',
  bound: {atMost: 1},
  rounds: 1,
  warmUps: 0,
  open: async (bench) => {
    const paying = await startMemoryService(bench, '--limit', String(requestsPerSecond))
    const own = async () => {
      await measurePayouts(paying, 1_000)
      const reply = await fetch(`${paying.server.url}/_counts`)
      const {requests, refused} = (await reply.json()) as {requests: number; refused: number}
      return {value: (refused / requests) * 100}
    }
    return {own}
  },
}

export const payoutRows: readonly Row[] = [
  createRow('payouts', 'payouts of 10,000 rows', 0.65, [10_000, 4], startOnMemory),
  createRow('payouts-fast', 'payouts, a service that answers from memory', 0.42, [10_000, 4], startMemoryService),
  createRow('payouts-50ms', 'payouts, 16 rows at a time, a service that answers in 50 ms', 0.98, [4_000, 16], (bench) =>
    startMemoryService(bench, '--delay', '50'),
  ),
  limitedRow,
]
