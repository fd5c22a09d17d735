// Rows for commands with a long journal, which take as long with a million payments as with a thousand, and for the memory of a
// comparison. One payment is made every quarter of an hour, so that a day has the same number in every journal.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import type {Route} from './payouts.ts'
import {spread} from './report.ts'
import {type Bench, type Cost, type Round, type Row, type SizeCost, takeTurns} from './row.ts'
import {bin, runSvc} from './run-svc.ts'
import {type Server, prepare, startSandbox} from './sandbox.ts'

// Fewer, for a quick look: BENCH_PAYMENTS=100000 npm run bench -- journal
const paymentsMany = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000)
const paymentsFew = 1_000
export const betweenMs = 15 * 60_000
// One in so many was rejected.
export const rejectedOneIn = 100
const sizeRounds = 3
const timedRuns = Number(process.env['BENCH_RUNS'] ?? 9)

const getPayArgs = ({customerId, source, destination}: Route, key: string) => [
  'pay',
  '--customer',
  customerId,
  '--from',
  source.sourcePaymentAccountId,
  '--from-currency',
  source.sourceCurrency,
  '--to',
  destination.destinationPaymentAccountId,
  '--amount',
  source.sourceAmount,
  '--key',
  key,
  '--yes',
  '--quiet',
]

// Copies of one payment, with its history, under other keys and at earlier times.
const fillSqlite = (file: string, count: number) => {
  const database = new DatabaseSync(file)
  const sql = (text: string) => database.exec(text)
  sql('pragma journal_mode = wal; pragma synchronous = off; begin')
  sql(`create temp table model as select * from payments limit 1`)
  sql(`create temp table lines as select * from history where key = (select key from model)`)
  sql(`with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})
    insert into payments (serviceId, key, state, currency, amount, destination, transactionId, spentAt, createdAt, updatedAt, payment, epoch)
    select serviceId, 'copy-' || i, iif(i % ${rejectedOneIn}, state, 'REJECTED'), currency, amount, destination,
      iif(i % ${rejectedOneIn}, 'tx-' || i, null), spentAt - i * ${betweenMs}, createdAt - i * ${betweenMs},
      updatedAt - i * ${betweenMs},
      json_set(payment, '$.key', 'copy-' || i, '$.createdAt', createdAt - i * ${betweenMs},
        '$.updatedAt', createdAt - i * ${betweenMs}, '$.madeAt', spentAt - i * ${betweenMs},
        '$.attempts[0].armedAt', spentAt - i * ${betweenMs}, '$.attempts[0].quoteId', 'quote-' || i,
        '$.transactionId', 'tx-' || i, '$.state', iif(i % ${rejectedOneIn}, state, 'REJECTED')), epoch
    from numbers cross join model`)
  sql(`with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})
    insert into history (serviceId, key, at, what, detail, hash)
    select serviceId, 'copy-' || i, at - i * ${betweenMs}, what, detail, hash from numbers cross join lines`)
  // The next entry goes on from the last one.
  sql('update chains set number = (select max(seq) from history)')
  sql('commit; pragma wal_checkpoint(truncate)')
  database.close()
}

export interface JournalCommand {
  row: string
  name: string
  args: (route: Route, run: number) => readonly string[]
  codes?: readonly number[]
}

export const journalCommands: readonly JournalCommand[] = [
  {row: 'journal-list', name: 'journal list --limit 20', args: () => ['journal', 'list', '--limit', '20', '--json']},
  {
    row: 'journal-rejected',
    name: 'journal list --state REJECTED',
    args: () => ['journal', 'list', '--state', 'REJECTED', '--json'],
  },
  {
    row: 'journal-unknown',
    name: 'journal list --state UNKNOWN',
    args: () => ['journal', 'list', '--state', 'UNKNOWN', '--json'],
  },
  {row: 'journal-pay', name: 'pay', args: (route, run) => getPayArgs(route, `measured-${run}`)},
  // The service lacks the copies, which it finds.
  {
    row: 'journal-reconcile',
    name: 'reconcile --since 1d',
    args: () => ['reconcile', '--since', '1d', '--json'],
    codes: [0, 12],
  },
]

// The profile has a cap, so that what was spent is read for every payment.
async function createProfile(folder: string, server: {url: string; apiKey?: string}): Promise<NodeJS.ProcessEnv> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_PROFILE: 'bench',
    SVC_RESEND: 'always',
    SVC_DUPLICATE_WINDOW: '0',
  }
  const login = ['login', '-p', 'bench', '--base-url', server.url, '--sandbox', '--store', 'file']
  await runSvc(env, login, {input: server.apiKey ?? ''})
  await runSvc(env, ['profiles', 'set', 'bench', '--day-max', 'USDC=1000000', '--quiet'])
  return env
}

interface JournalPlace {
  address: string
  count: number
}

export interface OpenedJournal {
  count: number
  env: NodeJS.ProcessEnv
  // The CPU time of the database's server, if it has one.
  readServerMs?: (() => number) | undefined
  server: Server
  route: Route
}

// Each journal has a service of its own, which knows no payment of the other.
export async function openJournal(
  folder: string,
  {address, count}: JournalPlace,
  initialize: (env: NodeJS.ProcessEnv) => Promise<void>,
  fill: (address: string, count: number) => void | Promise<void>,
): Promise<OpenedJournal> {
  const own = path.join(folder, `journal-of-${count}`)
  fs.mkdirSync(own)
  const data = path.join(own, 'sandbox.sqlite')
  const route = JSON.parse(await prepare(data)) as Route
  const server = await startSandbox(bin, data)
  const env = {...(await createProfile(own, server)), SVC_JOURNAL: address}
  await initialize(env)
  await runSvc(env, getPayArgs(route, `model-${count}`))
  await fill(address, count)
  return {count, env, server, route}
}

export const journalSizes = [paymentsFew, 30_000, paymentsMany]

const shareJournals = ({share, folder}: Bench): Promise<OpenedJournal[]> =>
  share('journals', async () => {
    const opened: OpenedJournal[] = []
    for (const count of journalSizes) {
      const address = path.join(folder, `journal-${count}.sqlite`)
      opened.push(await openJournal(folder, {address, count}, async () => {}, fillSqlite))
    }
    return {value: opened, close: () => opened.forEach(({server}) => server.process.kill())}
  })

let runs = 0

interface GrowthOptions {
  title: string
  atMost: number
  openJournals: (bench: Bench) => Promise<OpenedJournal[]>
}

// A command with the largest journal and the smallest in turn.
export const createGrowthRow = (
  {row, args, codes = [0]}: JournalCommand,
  {title, atMost, openJournals}: GrowthOptions,
): Row => ({
  name: row,
  isLong: true,
  title,
  unit: 'ms',
  comparator: {name: 'the same with 1,000 payments', leavesOut: 'nothing'},
  bound: {atMost},
  sizeUnit: 'payments',
  measure: async (bench) => {
    const journals = await openJournals(bench)
    const run = async ({env, route, readServerMs = () => 0}: OpenedJournal): Promise<Cost> => {
      const before = readServerMs()
      const {seconds, cpuMs} = await runSvc(env, args(route, runs++), {codes})
      return {value: seconds * 1000, byCpu: cpuMs + readServerMs() - before}
    }
    const [few, middle, many] = journals as [OpenedJournal, OpenedJournal, OpenedJournal]
    const rounds = await takeTurns(
      bench.countRounds(timedRuns),
      () => run(many),
      () => run(few),
    )
    const between: number[] = []
    for (let round = 0; round < sizeRounds; round++) between.push((await run(middle)).value)
    const pick = (read: (round: Round) => number) => spread(rounds.map(read)).median
    return {
      rounds,
      sizes: [
        {size: few.count, value: pick(({base}) => base?.value ?? Number.NaN)},
        {size: middle.count, value: spread(between).median},
        {size: many.count, value: pick(({own}) => own.value)},
      ],
    }
  },
})

const memoryRow: Row = {
  name: 'reconcile-memory',
  isLong: true,
  title: 'svc reconcile, 50,000 transactions, peak memory',
  unit: 'MB',
  bound: {atMost: 120},
  sizeUnit: 'transactions',
  measure: async ({folder}) => {
    const measured: SizeCost[] = []
    for (const size of [5_000, 15_000, 50_000]) {
      const own = path.join(folder, `reconcile-${size}`)
      fs.mkdirSync(own)
      const data = path.join(own, 'sandbox.sqlite')
      await prepare(data, size)
      const server = await startSandbox(bin, data)
      try {
        const env = await createProfile(own, server)
        // The journal knows none of them, which it finds.
        const {peakMiB} = await runSvc(env, ['reconcile', '--json'], {codes: [0, 12]})
        measured.push({size, value: peakMiB})
      } finally {
        server.process.kill()
      }
    }
    return {rounds: [{own: {value: measured.at(-1)?.value ?? Number.NaN}}], sizes: measured}
  },
}

export const journalRows: readonly Row[] = [
  ...journalCommands.map((command) =>
    createGrowthRow(command, {
      title: `svc ${command.name}, 1,000,000 payments`,
      atMost: 1.2,
      openJournals: shareJournals,
    }),
  ),
  memoryRow,
]
