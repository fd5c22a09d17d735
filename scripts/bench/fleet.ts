// Rows for a fleet on PostgreSQL: rows a second with 1, 2 and 4 workers against one run with its journal in a file, how much further
// workers add when the service takes its time, and the memory of a long submit.
import fs from 'node:fs'
import path from 'node:path'
import {PostgresServer} from '../../test/support/postgres-server.ts'
import {type Route, anyRoute, payoutFile, startMemoryService} from './payouts.ts'
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
// Two cores are enough for four such workers, PostgreSQL and the service.
const slowPlaces = 4
const slowMs = 50
// For each worker, so that all take as long.
const slowRows = 400

interface Fleet {
  env: NodeJS.ProcessEnv
  folder: string
  route: Route
  postgres: PostgresServer
  service: Server
}

interface Service {
  service: Server
  route: Route
}

async function openSandbox(folder: string): Promise<Service> {
  const data = path.join(folder, 'sandbox.sqlite')
  const route = JSON.parse(await prepare(data)) as Route
  return {service: await startSandbox(bin, data), route}
}

const openSlowService = async (): Promise<Service> => ({
  service: await startMemoryService(['--delay', String(slowMs)]),
  route: anyRoute,
})

const shareFleet = ({share, folder}: Bench, name: string, open: (folder: string) => Promise<Service>): Promise<Fleet> =>
  share(`fleet ${name}`, async () => {
    const own = fs.mkdtempSync(path.join(folder, 'fleet-'))
    // The server runs as another user, who has to reach its own folder in this one.
    for (const each of [folder, own]) fs.chmodSync(each, 0o755)
    const {service, route} = await open(own)
    const postgres = new PostgresServer(path.join(own, 'postgres'), {fsync: true})
    await postgres.create()
    await postgres.start()
    const env = {
      ...process.env,
      SVC_BASE_URL: service.url,
      SVC_API_KEY: service.apiKey,
      SVC_CONFIG_DIR: own,
      SVC_JOURNAL: postgres.getAddress(),
      SVC_PROFILE: undefined,
      // Both services honour keys. The rows of these files are alike.
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
const toRate = (rows: number, seconds: number, cpuMs: number): Cost => ({
  value: rows / seconds,
  byCpu: rows / (cpuMs / 1000),
})

async function runAlone(fleet: Fleet): Promise<Cost> {
  const env = {...fleet.env, SVC_JOURNAL: path.join(fleet.folder, 'journal.sqlite')}
  const args = ['payouts', 'run', writeFile(fleet, rowCount), '--yes', '--quiet', '--concurrency', String(concurrency)]
  const {seconds, cpuMs} = await runSvc(env, args)
  return toRate(rowCount, seconds, cpuMs)
}

// How long a row was in flight, on average.
function averageRowMs(logs: readonly string[]): number {
  const times = logs.flatMap((log) => [...log.matchAll(/"tookMs":(\d+)/g)].map(([, ms]) => Number(ms)))
  return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length)
}

// Rows a second from the first row to the last one, without the start and the end of the workers.
function computeRate(logs: readonly string[]): number {
  const times = logs
    .flatMap((log) =>
      [...log.matchAll(/"time":"([^"]+)"[^\n]*"message":"row"/g)].map(([, time = '']) => Date.parse(time)),
    )
    .toSorted((one, other) => one - other)
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  return ((times.length - 1) / (last - first)) * 1000
}

interface WorkersRun {
  cost: Cost
  // From the first row to the last.
  rate: number
  note: string
}

// Start-up included, as in a run alone.
async function runWorkers(fleet: Fleet, count: number, rows = rowCount, places = concurrency): Promise<WorkersRun> {
  const {env, postgres, service} = fleet
  await runSvc(env, ['payouts', 'submit', writeFile(fleet, rows), '--yes', '--quiet'])
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
    String(places),
  ]
  const readOthers = () => ({postgres: readServerCpuMs(postgres.pid), service: readCpuMs(service.process.pid)})
  const before = readOthers()
  const begun = performance.now()
  const {
    value: ended,
    waits,
    written,
  } = await watchWaits(postgres.getAddress(), () => Promise.all(Array.from({length: count}, () => runSvc(env, args))))
  const seconds = (performance.now() - begun) / 1000
  const after = readOthers()
  const logs = ended.map(({err}) => err)
  const svcMs = ended.reduce((total, {cpuMs}) => total + cpuMs, 0)
  const postgresMs = after.postgres - before.postgres
  const perRow = (ms: number) => `${(ms / rows).toFixed(1)} ms`
  const rate = computeRate(logs)
  return {
    rate,
    cost: toRate(rows, seconds, svcMs + postgresMs),
    note: [
      `CPU of a row: svc ${perRow(svcMs)}, PostgreSQL ${perRow(postgresMs)}, the service ${perRow(after.service - before.service)}`,
      `${(written.transactions / rows).toFixed(2)} transactions and ${(written.bytes / rows / 1000).toFixed(1)} kB of log a row`,
      `${rate.toFixed(1)} rows/s from the first row to the last`,
      `in flight for ${averageRowMs(logs).toFixed(0)} ms`,
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
  ...(count === 1 && {bound: {atLeast: 0.8}}),
  measure: async (bench) => {
    const fleet = await shareFleet(bench, 'on the sandbox', openSandbox)
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

const createSlowRow = (count: number, atLeast: number): Row => ({
  name: `fleet-50ms-${count}`,
  title: `${count} workers, ${slowPlaces} rows at a time each, a service that answers in ${slowMs} ms`,
  unit: 'rows/s',
  comparator: {name: 'one worker', leavesOut: 'nothing'},
  bound: {atLeast},
  measure: async (bench) => {
    const fleet = await shareFleet(bench, 'on a slow service', openSlowService)
    const notes = new Map<number, string>()
    const run = async (workers: number) => {
      const {cost, rate, note} = await runWorkers(fleet, workers, slowRows * workers, slowPlaces)
      notes.set(workers, note)
      // Workers run for days, so their start does not count.
      return {...cost, value: rate}
    }
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      () => run(count),
      () => run(1),
      0,
    )
    return {rounds, note: [...notes].map(([workers, note]) => `${workers}: ${note}`).join('\n  ')}
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
    const fleet = await shareFleet(bench, 'on the sandbox', openSandbox)
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

export const fleetRows: readonly Row[] = [
  ...workerCounts.map(createWorkersRow),
  createSlowRow(2, 1.9),
  createSlowRow(4, 3.6),
  submitRow,
]
