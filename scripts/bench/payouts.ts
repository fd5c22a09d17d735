// Measures a payout file of 10,000 rows: rows per second relative to the bare requests, and whether memory stays flat.
import {spawn} from 'node:child_process'
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import {root} from '../surface.ts'
import {send} from './load.ts'
import {type Server, prepare, startSandbox} from './sandbox.ts'

// Fewer, for a quick look: BENCH_ROWS=2000 npm run bench -- payouts
const rowsMany = Number(process.env['BENCH_ROWS'] ?? 10_000)
const rowsFew = rowsMany / 10
const concurrency = 4
// The targets of the project.
const shareMin = 0.7
const growthMax = 2
const memoryDisk = '/dev/shm'

const write = (text: string) => process.stdout.write(`${text}\n`)

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

interface Measured {
  perSecond: number
  peakMiB: number
}

const runner = path.join(root, 'scripts/bench/peak-memory.mjs')

// Runs the whole command, which prints its peak memory at the end.
async function measureSvc({url, apiKey = ''}: Server, folder: string, file: string, rows: number): Promise<Measured> {
  const args = ['payouts', 'run', file, '--yes', '--concurrency', String(concurrency), '--quiet']
  // The sandbox honours keys. Where that is not known, each row is looked for again before it is sent.
  const env = {
    ...process.env,
    SVC_BASE_URL: url,
    SVC_API_KEY: apiKey,
    SVC_CONFIG_DIR: folder,
    SVC_PROFILE: undefined,
    SVC_RESEND: 'always',
  }
  const begun = performance.now()
  const child = spawn(process.execPath, ['--import', runner, path.join(root, 'bin/run.js'), ...args], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  const seconds = (performance.now() - begun) / 1000
  if (code !== 0) throw new Error(`svc payouts run ended with ${String(code)}: ${said}`)
  return {perSecond: rows / seconds, peakMiB: Number(/peak (\d+) KiB/.exec(said)?.[1] ?? 0) / 1024}
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

export async function benchPayouts(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  // The service's disk is not measured, and the journal must not wait for it.
  const memory = fs.existsSync(memoryDisk) ? fs.mkdtempSync(path.join(memoryDisk, 'svc-bench-')) : folder
  const data = path.join(memory, 'sandbox.sqlite')
  const body = await prepare(data)
  const route = JSON.parse(body) as Route
  const bin = path.join(root, 'bin/run.js')
  const server = await startSandbox(bin, data)
  try {
    const few = await measureSvc(server, folder, payoutFile(folder, rowsFew, route), rowsFew)
    // Before and after, so that noise of the machine affects both.
    const before = await measureBare(server, body, rowsMany / 2)
    const many = await measureSvc(server, folder, payoutFile(folder, rowsMany, route), rowsMany)
    const bare = (before + (await measureBare(server, body, rowsMany / 2))) / 2
    const share = many.perSecond / bare
    const growth = many.peakMiB / few.peakMiB
    write(`\na payout file of ${rowsMany} rows, ${concurrency} at a time, against the sandbox on a core of its own`)
    write(`bare loop      ${bare.toFixed(0).padStart(7)} rows/s`)
    write(
      `svc payouts    ${many.perSecond.toFixed(0).padStart(7)} rows/s  ${share.toFixed(2)} of bare, at least ${shareMin}`,
    )
    write(
      `peak memory    ${many.peakMiB.toFixed(0).padStart(7)} MiB     ${growth.toFixed(2)} of that for ${rowsFew} rows, at most ${growthMax}`,
    )
    return share >= shareMin && growth <= growthMax
  } finally {
    server.process.kill()
    for (const made of [folder, memory]) fs.rmSync(made, {recursive: true, force: true})
  }
}
