// Rows for a long list of transactions as JSON lines: its time against a bare loop over the same pages, and its memory.
import path from 'node:path'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {root} from '../surface.ts'
import {spread} from './report.ts'
import {type Bench, type Comparator, type Row, type SizeCost, takeTurns} from './row.ts'
import {type TimedRun, runTimed, toCost} from './run-timed.ts'
import {type Server, start, startSandbox} from './sandbox.ts'

const usualRounds = 7
const sizeRounds = 3
const pageSize = 100
const rowsUsual = 100_000
const rowsSmaller = [10_000, 30_000]
const rowsOfMemory = [10_000, 100_000, 1_000_000]

const here = (file: string) => path.join(root, 'scripts/bench', file)
const svc = path.join(root, 'bin/run.js')

const bareLoop: Comparator = {
  name: 'a loop that parses each page and writes its items',
  leavesOut: 'checks of shapes, of exact numbers and of repeated items; errors and retries; flags and profiles',
}

const createEnv = ({folder}: Bench, {url, apiKey = 'bench'}: Server): NodeJS.ProcessEnv => {
  const {NODE_EXTRA_CA_CERTS: _, SVC_PROFILE: _profile, ...inherited} = process.env
  return {
    ...inherited,
    HOME: folder,
    SVC_CACHE_DIR: folder,
    SVC_CONFIG_DIR: folder,
    SVC_BASE_URL: url,
    SVC_API_KEY: apiKey,
  }
}

const startPages = (rows: number) => start([process.execPath, here('page-service.ts'), String(rows / pageSize)])

const list = (env: NodeJS.ProcessEnv, memory = false): Promise<TimedRun> =>
  runTimed([process.execPath, svc, 'transactions', 'list', '--all', '-o', 'jsonl'], {env, memory})

async function withServer<Value>(starting: Promise<Server>, use: (server: Server) => Promise<Value>): Promise<Value> {
  const server = await starting
  try {
    return await use(server)
  } finally {
    server.process.kill()
  }
}

const compare = (bench: Bench, server: Server) => {
  const env = createEnv(bench, server)
  const bare = [process.execPath, here('bare-reader.mjs'), server.url, server.apiKey ?? 'bench']
  return takeTurns(
    bench.countRounds(usualRounds),
    async () => toCost(await list(env)),
    async () => toCost(await runTimed(bare, {env})),
  )
}

const median = (values: readonly number[]) => spread(values).median

// The time of svc alone, for the smaller sizes.
async function measureSize(bench: Bench, size: number, starting: Promise<Server>): Promise<SizeCost> {
  return withServer(starting, async (server) => {
    const times: number[] = []
    for (let round = 0; round < Math.min(sizeRounds, bench.countRounds(sizeRounds)); round++)
      times.push((await list(createEnv(bench, server))).ms)
    return {size, value: median(times)}
  })
}

// A sandbox with so many transactions, in a file.
async function startSeeded({folder}: Bench, rows: number): Promise<Server> {
  const file = path.join(folder, `transactions-${rows}.sqlite`)
  const sandbox = openSandbox({file})
  const {apiKey} = sandbox
  sandbox.money.seedTransactions(rows)
  sandbox.close()
  return {...(await startSandbox(svc, file)), apiKey}
}

const createRow = (name: string, title: string, startServer: (bench: Bench, rows: number) => Promise<Server>): Row => ({
  name,
  title,
  unit: 'ms',
  comparator: bareLoop,
  bound: {atMost: 2},
  sizeUnit: 'rows',
  measure: async (bench) => {
    const sizes: SizeCost[] = []
    for (const size of rowsSmaller) sizes.push(await measureSize(bench, size, startServer(bench, size)))
    const rounds = await withServer(startServer(bench, rowsUsual), (server) => compare(bench, server))
    sizes.push({size: rowsUsual, value: median(rounds.map(({own}) => own.value))})
    return {rounds, sizes}
  },
})

// The most that any of the sizes takes against the least.
const memoryRow: Row = {
  name: 'list-memory',
  isLong: true,
  title: 'peak memory, 10,000 to 1,000,000 rows',
  unit: 'MB',
  comparator: {name: 'the size that takes the least', leavesOut: 'nothing'},
  bound: {atMost: 4},
  sizeUnit: 'rows',
  measure: async (bench) => {
    const sizes: SizeCost[] = []
    for (const size of rowsOfMemory)
      await withServer(startPages(size), async (server) => {
        sizes.push({size, value: (await list(createEnv(bench, server), true)).megabytes})
      })
    const values = sizes.map(({value}) => value)
    return {rounds: [{own: {value: Math.max(...values)}, base: {value: Math.min(...values)}}], sizes}
  },
}

export const longListRows: readonly Row[] = [
  createRow('long-list', '100,000 rows as JSON lines, ready pages', (_, rows) => startPages(rows)),
  createRow('long-list-sandbox', 'the same from the sandbox', startSeeded),
  memoryRow,
]
