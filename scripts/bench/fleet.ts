// Measures a fleet on PostgreSQL: rows a second with 1, 2 and 4 workers against one run with a journal in a file, the memory of a
// long submit, and whether commands take as long with a million payments as with a thousand.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {PostgresServer} from '../../test/support/postgres-server.ts'
import {benchPostgresJournal} from './journal.ts'
import {type Route, payoutFile} from './payouts.ts'
import {bin, runSvc} from './run-svc.ts'
import {prepare, startSandbox} from './sandbox.ts'

// Fewer, for a quick look: BENCH_ROWS=500 BENCH_SUBMIT_ROWS=20000 BENCH_PAYMENTS=100000 npm run bench -- fleet
const rowCount = Number(process.env['BENCH_ROWS'] ?? 2_000)
const submitRows = Number(process.env['BENCH_SUBMIT_ROWS'] ?? 200_000)
const workerCounts = [1, 2, 4]
const concurrency = 16
// The targets of the project.
const memoryGrowthMax = 1.3

const write = (text: string) => process.stdout.write(`${text}\n`)

// How long a row was in flight, on average.
function averageRowMs(logs: readonly string[]): number {
  const times = logs.flatMap((log) => [...log.matchAll(/"tookMs":(\d+)/g)].map(([, ms]) => Number(ms)))
  return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length)
}

async function benchWorkers(env: NodeJS.ProcessEnv, folder: string, route: Route): Promise<void> {
  const file = (name: string) => payoutFile(folder, rowCount, route, name)
  const alone = {...env, SVC_JOURNAL: path.join(folder, 'journal.sqlite')}
  const run = await runSvc(alone, [
    'payouts',
    'run',
    file('alone'),
    '--yes',
    '--quiet',
    '--concurrency',
    String(concurrency),
  ])
  const base = rowCount / run.seconds
  write(`\n${rowCount} rows, ${concurrency} at a time in each process, start-up included`)
  const perRow = (cpuMs: number) => `${(cpuMs / rowCount).toFixed(1)} ms of CPU a row`
  write(`one run, journal in a file    ${base.toFixed(0).padStart(5)} rows/s  ${perRow(run.cpuMs)}`)
  for (const count of workerCounts) {
    await runSvc(env, ['payouts', 'submit', file(`workers-${count}`), '--yes', '--quiet'])
    const args = [
      'payouts',
      'work',
      '--until-idle',
      '--yes',
      '--listen',
      'off',
      '--log',
      'json',
      '--concurrency',
      String(concurrency),
    ]
    const begun = performance.now()
    const ended = await Promise.all(Array.from({length: count}, () => runSvc(env, args)))
    const rate = rowCount / ((performance.now() - begun) / 1000)
    const rowMs = averageRowMs(ended.map(({err}) => err))
    write(
      `${count} ${count === 1 ? 'worker ' : 'workers'} on PostgreSQL       ${rate.toFixed(0).padStart(5)} rows/s  ${(rate / base).toFixed(2)} of it, ${perRow(ended.reduce((sum, {cpuMs}) => sum + cpuMs, 0))}; a row is in flight for ${rowMs.toFixed(0)} ms`,
    )
  }
}

async function benchSubmit(env: NodeJS.ProcessEnv, folder: string, route: Route): Promise<boolean> {
  const few = submitRows / 10
  const small = await runSvc(env, ['payouts', 'submit', payoutFile(folder, few, route, 'few'), '--yes', '--quiet'])
  const large = await runSvc(env, [
    'payouts',
    'submit',
    payoutFile(folder, submitRows, route, 'many'),
    '--yes',
    '--quiet',
  ])
  const growth = large.peakMiB / small.peakMiB
  write(
    `submit of ${submitRows} rows        ${large.seconds.toFixed(0).padStart(5)} s       ${large.peakMiB.toFixed(0)} MiB, ${growth.toFixed(2)} of that for ${few} rows, at most ${memoryGrowthMax}`,
  )
  return growth <= memoryGrowthMax
}

export async function benchFleet(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-fleet-'))
  // The server runs as another user, who has to reach its own folder in this one.
  fs.chmodSync(folder, 0o755)
  const data = path.join(folder, 'sandbox.sqlite')
  const route = JSON.parse(await prepare(data)) as Route
  const postgres = new PostgresServer(path.join(folder, 'postgres'), {fsync: true})
  await postgres.create()
  await postgres.start()
  const server = await startSandbox(bin, data)
  const env = {
    ...process.env,
    SVC_BASE_URL: server.url,
    SVC_API_KEY: server.apiKey,
    SVC_CONFIG_DIR: folder,
    SVC_JOURNAL: postgres.getAddress(),
    SVC_PROFILE: undefined,
    // The sandbox honours keys. The rows of these files are alike.
    SVC_RESEND: 'always',
    SVC_DUPLICATE_WINDOW: '0',
  }
  try {
    await runSvc(env, ['journal', 'init', '--quiet'])
    await benchWorkers(env, folder, route)
    const results = [await benchSubmit(env, folder, route), await benchPostgresJournal(postgres.getAddress(), folder)]
    return results.every(Boolean)
  } finally {
    server.process.kill()
    await postgres.stop()
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
