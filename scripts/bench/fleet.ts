// Rows for a fleet on PostgreSQL: rows a second with 1, 2 and 4 workers against one run with its journal in a file, and the memory
// of a long submit.
import fs from 'node:fs'
import path from 'node:path'
import {PostgresServer} from '../../test/support/postgres-server.ts'
import {type Route, payoutFile} from './payouts.ts'
import {readCpuMs, readServerCpuMs} from './process-cpu.ts'
import {spread} from './report.ts'
import {type Bench, type Cost, type Round, type Row, type SizeCost, takeTurns} from './row.ts'
import {type Ended, bin, runSvc} from './run-svc.ts'
import {type Server, prepare, startSandbox} from './sandbox.ts'
import {describeWaits, watchWaits} from './session-waits.ts'

// Fewer, for a quick look: BENCH_ROWS=500 BENCH_SUBMIT_ROWS=20000 npm run bench -- fleet
const rowCount = Number(process.env['BENCH_ROWS'] ?? 2_000)
const submitRows = Number(process.env['BENCH_SUBMIT_ROWS'] ?? 200_000)
const workerCounts = [1, 2, 4]
const concurrency = 16
const usualRounds = 3

interface Fleet {
  env: NodeJS.ProcessEnv
  folder: string
  route: Route
  postgres: PostgresServer
  service: Server
}

const shareFleet = ({share, folder}: Bench): Promise<Fleet> =>
  share('fleet', async () => {
    const own = fs.mkdtempSync(path.join(folder, 'fleet-'))
    // The server runs as another user, who has to reach its own folder in this one.
    for (const each of [folder, own]) fs.chmodSync(each, 0o755)
    const data = path.join(own, 'sandbox.sqlite')
    const route = JSON.parse(await prepare(data)) as Route
    const postgres = new PostgresServer(path.join(own, 'postgres'), {fsync: true})
    await postgres.create()
    await postgres.start()
    const service = await startSandbox(bin, data)
    const env = {
      ...process.env,
      SVC_BASE_URL: service.url,
      SVC_API_KEY: service.apiKey,
      SVC_CONFIG_DIR: own,
      SVC_JOURNAL: postgres.getAddress(),
      SVC_PROFILE: undefined,
      // The sandbox honours keys. The rows of these files are alike.
      SVC_RESEND: 'always',
      SVC_DUPLICATE_WINDOW: '0',
    }
    await runSvc(env, ['journal', 'init', '--quiet'])
    const close = async () => {
      service.process.kill()
      await postgres.stop()
    }
    return {value: {env, folder: own, route, postgres, service}, close}
  })

let files = 0

// A file of its own each time, since keys that were paid are not paid again.
const writeFile = ({folder, route}: Fleet, rows: number) => payoutFile(folder, rows, route, `file-${files++}`)

// Rows a second, by the clock and by the CPU time of svc and of PostgreSQL.
const toRate = (seconds: number, cpuMs: number): Cost => ({
  value: rowCount / seconds,
  byCpu: rowCount / (cpuMs / 1000),
})

async function runAlone(fleet: Fleet): Promise<Cost> {
  const env = {...fleet.env, SVC_JOURNAL: path.join(fleet.folder, 'journal.sqlite')}
  const args = ['payouts', 'run', writeFile(fleet, rowCount), '--yes', '--quiet', '--concurrency', String(concurrency)]
  const {seconds, cpuMs} = await runSvc(env, args)
  return toRate(seconds, cpuMs)
}

// How long a row was in flight, on average.
function averageRowMs(logs: readonly string[]): number {
  const times = logs.flatMap((log) => [...log.matchAll(/"tookMs":(\d+)/g)].map(([, ms]) => Number(ms)))
  return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length)
}

interface WorkersRun {
  cost: Cost
  note: string
}

// Start-up included, as in a run alone.
async function runWorkers(fleet: Fleet, count: number): Promise<WorkersRun> {
  const {env, postgres, service} = fleet
  await runSvc(env, ['payouts', 'submit', writeFile(fleet, rowCount), '--yes', '--quiet'])
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
  const readOthers = () => ({postgres: readServerCpuMs(postgres.pid), service: readCpuMs(service.process.pid)})
  const before = readOthers()
  const begun = performance.now()
  const {value: ended, waits} = await watchWaits(postgres.getAddress(), () =>
    Promise.all(Array.from({length: count}, () => runSvc(env, args))),
  )
  const seconds = (performance.now() - begun) / 1000
  const after = readOthers()
  const svcMs = ended.reduce((total, {cpuMs}) => total + cpuMs, 0)
  const postgresMs = after.postgres - before.postgres
  const perRow = (ms: number) => `${(ms / rowCount).toFixed(1)} ms`
  return {
    cost: toRate(seconds, svcMs + postgresMs),
    note: [
      `CPU of a row: svc ${perRow(svcMs)}, PostgreSQL ${perRow(postgresMs)}, the service ${perRow(after.service - before.service)}`,
      `in flight for ${averageRowMs(ended.map(({err}) => err)).toFixed(0)} ms`,
      `busy sessions of PostgreSQL: ${describeWaits(waits)}`,
    ].join('; '),
  }
}

const createWorkersRow = (count: number): Row => ({
  name: `fleet-workers-${count}`,
  title: `${count} ${count === 1 ? 'worker' : 'workers'} on PostgreSQL, ${concurrency} rows at a time each`,
  unit: 'rows/s',
  comparator: {
    name: 'one run with its journal in a file',
    leavesOut: 'the queue, and a journal that other hosts share',
  },
  measure: async (bench) => {
    const fleet = await shareFleet(bench)
    let note = ''
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      async () => {
        const run = await runWorkers(fleet, count)
        note = run.note
        return run.cost
      },
      () => runAlone(fleet),
      0,
    )
    return {rounds, note}
  },
})

const submitRow: Row = {
  name: 'fleet-submit',
  isLong: true,
  title: 'payouts submit of 200,000 rows, peak memory',
  unit: 'MB',
  comparator: {name: 'that of a tenth of the rows', leavesOut: 'nothing'},
  bound: {atMost: 1.1},
  sizeUnit: 'rows',
  measure: async (bench) => {
    const fleet = await shareFleet(bench)
    const submit = async (rows: number): Promise<Ended> =>
      runSvc(fleet.env, ['payouts', 'submit', writeFile(fleet, rows), '--yes', '--quiet'])
    const sizes: SizeCost[] = [{size: submitRows / 100, value: (await submit(submitRows / 100)).peakMiB}]
    let seconds = 0
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      async () => {
        const ended = await submit(submitRows)
        seconds = ended.seconds
        return {value: ended.peakMiB}
      },
      async () => ({value: (await submit(submitRows / 10)).peakMiB}),
      0,
    )
    const pick = (read: (round: Round) => number) => spread(rounds.map(read)).median
    sizes.push(
      {size: submitRows / 10, value: pick(({base}) => base?.value ?? Number.NaN)},
      {size: submitRows, value: pick(({own}) => own.value)},
    )
    return {rounds, sizes, note: `${submitRows} rows in ${seconds.toFixed(0)} s`}
  },
}

export const fleetRows: readonly Row[] = [...workerCounts.map(createWorkersRow), submitRow]
