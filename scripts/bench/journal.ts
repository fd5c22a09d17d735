// Rows for commands with a long journal, which take as long with a million payments as with a thousand, and for the memory of a
// comparison. One payment is made every quarter of an hour, so that a day has the same number in every journal.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {Client} from 'pg'
import type {Route} from './payouts.ts'
import {spread} from './report.ts'
import {type Bench, type Cost, type Round, type Row, type SizeCost, takeTurns} from './row.ts'
import {bin, runSvc} from './run-svc.ts'
import {type Server, prepare, startSandbox} from './sandbox.ts'

// Fewer, for a quick look: BENCH_PAYMENTS=100000 npm run bench -- journal
const paymentsMany = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000)
const paymentsFew = 1_000
const betweenMs = 15 * 60_000
// One in so many was rejected.
const rejectedOneIn = 100
const sizeRounds = 3
const growthMaxOfPostgres = 1.5
const timedRuns = Number(process.env['BENCH_RUNS'] ?? 9)

const write = (text: string) => process.stdout.write(`${text}\n`)

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
  sql('commit; pragma wal_checkpoint(truncate)')
  database.close()
}

async function query(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({connectionString: address})
  await client.connect()
  try {
    for (const sql of statements) await client.query(sql)
  } finally {
    await client.end()
  }
}

const fillPostgres = (address: string, count: number) =>
  query(
    address,
    `insert into svc.payments (service_id, key, state, currency, amount, destination, transaction_id, spent_at, created_at,
       updated_at, payment, epoch, write_id)
     select p.service_id, 'copy-' || i, case when i % ${rejectedOneIn} = 0 then 'REJECTED' else p.state end, p.currency, p.amount,
       p.destination, case when i % ${rejectedOneIn} = 0 then null else 'tx-' || i end, p.spent_at - i * ${betweenMs}::bigint,
       p.created_at - i * ${betweenMs}::bigint, p.updated_at - i * ${betweenMs}::bigint,
       (p.payment::jsonb || jsonb_build_object('key', 'copy-' || i, 'transactionId', 'tx-' || i,
         'madeAt', p.spent_at - i * ${betweenMs}::bigint,
         'state', case when i % ${rejectedOneIn} = 0 then 'REJECTED' else p.state end))::text, p.epoch, p.write_id
     from (select * from svc.payments limit 1) p, generate_series(1, ${count}) i`,
    `insert into svc.history (service_id, key, at, what, detail)
     select h.service_id, 'copy-' || i, h.at - i * ${betweenMs}::bigint, h.what, h.detail
     from svc.history h, generate_series(1, ${count}) i where h.key not like 'copy-%'`,
    'vacuum analyze',
  )

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

interface Measured {
  row: string
  name: string
  args: (route: Route, run: number) => readonly string[]
  codes?: readonly number[]
}

const commands: readonly Measured[] = [
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

// Runs each command with both journals in turn, so that noise of the machine affects both.
async function measureGrowth(
  [few, many]: readonly [OpenedJournal, OpenedJournal],
  measured: readonly Measured[],
  growthMax: number,
): Promise<boolean> {
  const growths: number[] = []
  for (const {name, args, codes = [0]} of measured) {
    const timed = []
    for (let run = 0; run <= timedRuns; run++) {
      const one = await runSvc(few.env, args(few.route, run), {codes})
      const other = await runSvc(many.env, args(many.route, run + 1_000), {codes})
      // The first one warms the caches.
      if (run > 0) timed.push({one, other, ratio: other.seconds / one.seconds, cpu: other.cpuMs / one.cpuMs})
    }
    const ms = median(timed.map(({other}) => other.seconds * 1000))
    const growth = median(timed.map(({ratio}) => ratio))
    const cpu = median(timed.map(({cpu: each}) => each))
    growths.push(growth)
    write(
      `  ${name.padEnd(30)} ${ms.toFixed(0).padStart(5)} ms, ${growth.toFixed(2)} of that with ${paymentsFew} (CPU ${cpu.toFixed(2)}), at most ${growthMax}`,
    )
  }
  return growths.every((growth) => growth <= growthMax)
}

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

interface OpenedJournal {
  count: number
  env: NodeJS.ProcessEnv
  server: Server
  route: Route
}

// Each journal has a service of its own, which knows no payment of the other.
async function openJournal(
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

// In PostgreSQL, in two databases of their own on the server with this address. Measured with a table of its own.
export async function benchPostgresJournal(address: string, folder: string): Promise<boolean> {
  write(`\na journal of ${paymentsMany} payments in PostgreSQL`)
  await query(address, 'create database few', 'create database many')
  const nameDatabase = (name: string) => Object.assign(new URL(address), {pathname: `/${name}`}).href
  const initialize = async (env: NodeJS.ProcessEnv) => void (await runSvc(env, ['journal', 'init', '--quiet']))
  const opened: OpenedJournal[] = []
  try {
    for (const [name, count] of [
      ['few', paymentsFew],
      ['many', paymentsMany],
    ] as const)
      opened.push(await openJournal(folder, {address: nameDatabase(name), count}, initialize, fillPostgres))
    const [few, many] = opened as [OpenedJournal, OpenedJournal]
    const status: Measured = {
      row: 'journal-payouts',
      name: 'payouts status',
      args: () => ['payouts', 'status', '--json'],
    }
    return await measureGrowth([few, many], [...commands, status], growthMaxOfPostgres)
  } finally {
    for (const {server} of opened) server.process.kill()
  }
}

const sizes = [paymentsFew, 30_000, paymentsMany]

const shareJournals = ({share, folder}: Bench): Promise<OpenedJournal[]> =>
  share('journals', async () => {
    const opened: OpenedJournal[] = []
    for (const count of sizes) {
      const address = path.join(folder, `journal-${count}.sqlite`)
      opened.push(await openJournal(folder, {address, count}, async () => {}, fillSqlite))
    }
    return {value: opened, close: () => opened.forEach(({server}) => server.process.kill())}
  })

let runs = 0

const createRow = ({row, name, args, codes = [0]}: Measured): Row => ({
  name: row,
  title: `svc ${name}, 1,000,000 payments`,
  unit: 'ms',
  comparator: {name: 'the same with 1,000 payments', leavesOut: 'nothing'},
  bound: {atMost: 1.2},
  sizeUnit: 'payments',
  measure: async (bench) => {
    const journals = await shareJournals(bench)
    const run = async ({env, route}: OpenedJournal): Promise<Cost> => {
      const {seconds, cpuMs} = await runSvc(env, args(route, runs++), {codes})
      return {value: seconds * 1000, byCpu: cpuMs}
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

export const journalRows: readonly Row[] = [...commands.map(createRow), memoryRow]
