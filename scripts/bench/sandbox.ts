// Rows for the sandbox as a server on one core, against a bare handler on node:http and node:sqlite with the same durable writes. It
// leaves out credentials, validation, limits, prices, faults, webhooks, the request log, the clock and every other endpoint.
import {randomUUID} from 'node:crypto'
import path from 'node:path'
import {type Server, toQuoteBody} from '../sandbox-server.ts'
import {type LoadRequest, readCpuMs, runLoad} from './measure.ts'
import type {Cost, Row} from './row.ts'
import {routeAmount, startSandbox, startService} from './stage.ts'

const connections = 8
const measureMs = 2000
const transactions = 1000

type Kind = 'quote' | 'transaction' | 'page'

const page: LoadRequest = {method: 'GET', path: '/transactions?pageSize=100'}

// Requests a second, and a second of CPU time of the server.
async function measureRate(server: Server, quote: LoadRequest, kind: Kind): Promise<Cost> {
  const quotes: string[] = []
  const run = (next: () => LoadRequest | undefined, onAnswer: (text: string) => void) => {
    const endsAt = performance.now() + measureMs
    return runLoad(server, connections, async (send) => {
      const request = performance.now() < endsAt ? next() : undefined
      if (request) onAnswer(await send(request))
      return request !== undefined
    })
  }
  // Enough quotes for all transactions of the measurement.
  if (kind === 'transaction')
    await run(
      () => quote,
      (text) => quotes.push((JSON.parse(text) as {quoteId: string}).quoteId),
    )
  const createTransaction = (): LoadRequest | undefined => {
    const quoteId = quotes.pop()
    const headers = {'x-idempotency-key': randomUUID()}
    return quoteId === undefined
      ? undefined
      : {method: 'POST', path: '/transactions', headers, body: JSON.stringify({quoteId})}
  }
  const next = {page: () => page, quote: () => quote, transaction: createTransaction}[kind]
  const cpuBeforeMs = readCpuMs(server.process.pid)
  let answered = 0
  const value = await run(next, () => answered++)
  const cpuMs = readCpuMs(server.process.pid) - cpuBeforeMs
  return {value, ...(cpuMs > 0 && {byCpu: (answered / cpuMs) * 1000})}
}

const createRow = (kind: Kind, title: string, atLeast: number): Row => ({
  name: `sandbox-${kind}`,
  title,
  unit: 'requests/s',
  comparator: 'a bare handler with the same durable writes',
  bound: {atLeast},
  rounds: 5,
  warmUps: 1,
  open: async (bench) => {
    const {svc, bare, quote} = await bench.share('sandbox', async () => {
      const {server, route} = await startSandbox(bench, {transactions})
      const body = JSON.stringify(toQuoteBody(route, routeAmount))
      const service = await startService(bench, '--data', path.join(bench.folder, 'bare.sqlite'))
      return {svc: server, bare: service, quote: {method: 'POST', path: '/quotes', body}}
    })
    return {own: () => measureRate(svc, quote, kind), base: () => measureRate(bare, quote, kind)}
  },
})

export const sandboxRows: readonly Row[] = [
  createRow('page', 'sandbox, a page of 100', 0.3),
  createRow('quote', 'sandbox, a quote', 0.6),
  createRow('transaction', 'sandbox, a transaction', 0.5),
]
