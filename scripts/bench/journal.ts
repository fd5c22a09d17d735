// Measures whether commands take as long with a journal of a million payments as with one of a thousand. One payment is made every
// quarter of an hour, so that a day has the same number in both.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {Client} from 'pg'
import type {Route} from './payouts.ts'
import {bin, runSvc} from './run-svc.ts'
import {type Server, prepare, startSandbox} from './sandbox.ts'

// Fewer, for a quick look: BENCH_PAYMENTS=100000 npm run bench -- journal
const paymentsMany = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000)
const paymentsFew = 1_000
const betweenMs = 15 * 60_000
// One in so many was rejected.
const rejectedOneIn = 100
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
    insert into payments (serviceId, key, state, currency, amount, destination, transactionId, spentAt, createdAt, payment, epoch)
    select serviceId, 'copy-' || i, iif(i % ${rejectedOneIn}, state, 'REJECTED'), currency, amount, destination,
      iif(i % ${rejectedOneIn}, 'tx-' || i, null), spentAt - i * ${betweenMs}, createdAt - i * ${betweenMs},
      json_set(payment, '$.key', 'copy-' || i, '$.createdAt', createdAt - i * ${betweenMs},
        '$.updatedAt', createdAt - i * ${betweenMs}, '$.madeAt', spentAt - i * ${betweenMs},
        '$.attempts[0].armedAt', spentAt - i * ${betweenMs}, '$.attempts[0].quoteId', 'quote-' || i,
        '$.transactionId', 'tx-' || i, '$.state', iif(i % ${rejectedOneIn}, state, 'REJECTED')), epoch
    from numbers cross join model`)
  sql(`with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})
    insert into history (serviceId, key, at, what, detail)
    select serviceId, 'copy-' || i, at - i * ${betweenMs}, what, detail from numbers cross join lines`)
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
  name: string
  args: (run: number) => readonly string[]
  codes?: readonly number[]
}

const listCommands = (route: Route): Measured[] => [
  {name: 'journal list --limit 20', args: () => ['journal', 'list', '--limit', '20', '--json']},
  {name: 'journal list --state REJECTED', args: () => ['journal', 'list', '--state', 'REJECTED', '--json']},
  {name: 'journal list --state UNKNOWN', args: () => ['journal', 'list', '--state', 'UNKNOWN', '--json']},
  {name: 'pay', args: (run) => getPayArgs(route, `measured-${run}`)},
  // The service lacks the copies, which it finds.
  {name: 'reconcile --since 1d', args: () => ['reconcile', '--since', '1d', '--json'], codes: [0, 12]},
]

// Runs each command with both journals in turn, so that noise of the machine affects both.
async function measureGrowth(
  [few, many]: readonly [NodeJS.ProcessEnv, NodeJS.ProcessEnv],
  commands: readonly Measured[],
  growthMax: number,
): Promise<boolean> {
  const growths: number[] = []
  for (const {name, args, codes = [0]} of commands) {
    const runs = []
    for (let run = 0; run <= timedRuns; run++) {
      const [one, other] = [await runSvc(few, args(run), {codes}), await runSvc(many, args(run + 1_000), {codes})]
      // The first one warms the caches.
      if (run > 0) runs.push({one, other, ratio: other.seconds / one.seconds, cpu: other.cpuMs / one.cpuMs})
    }
    const ms = median(runs.map(({other}) => other.seconds * 1000))
    const growth = median(runs.map(({ratio}) => ratio))
    const cpu = median(runs.map(({cpu: each}) => each))
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

interface Journals {
  prepare: (env: NodeJS.ProcessEnv) => Promise<void>
  fill: (address: string, count: number) => void | Promise<void>
  addresses: readonly [string, string]
  commands?: readonly Measured[]
  growthMax: number
}

// Each journal has a service of its own, which knows no payment of the other.
async function measureJournals(
  {prepare: prepareJournal, fill, addresses, commands = [], growthMax}: Journals,
  folder: string,
): Promise<boolean> {
  const servers: Server[] = []
  const envs: NodeJS.ProcessEnv[] = []
  try {
    let route: Route | undefined
    for (const [index, count] of [paymentsFew, paymentsMany].entries()) {
      const own = path.join(folder, `host-${index}`)
      fs.mkdirSync(own)
      const data = path.join(own, 'sandbox.sqlite')
      route = JSON.parse(await prepare(data)) as Route
      const server = await startSandbox(bin, data)
      servers.push(server)
      const [address = ''] = addresses.slice(index)
      const env = {...(await createProfile(own, server)), SVC_JOURNAL: address}
      envs.push(env)
      await prepareJournal(env)
      await runSvc(env, getPayArgs(route, `model-${index}`))
      await fill(address, count)
    }
    if (!route) throw new Error('no route')
    return await measureGrowth([envs[0] ?? {}, envs[1] ?? {}], [...listCommands(route), ...commands], growthMax)
  } finally {
    for (const server of servers) server.process.kill()
  }
}

// In PostgreSQL, in two databases of their own on the server with this address.
export async function benchPostgresJournal(address: string, folder: string): Promise<boolean> {
  write(`\na journal of ${paymentsMany} payments in PostgreSQL`)
  await query(address, 'create database few', 'create database many')
  const nameDatabase = (name: string) => Object.assign(new URL(address), {pathname: `/${name}`}).href
  return measureJournals(
    {
      prepare: async (env) => void (await runSvc(env, ['journal', 'init', '--quiet'])),
      fill: fillPostgres,
      addresses: [nameDatabase('few'), nameDatabase('many')],
      commands: [{name: 'payouts status', args: () => ['payouts', 'status', '--json']}],
      growthMax: 1.5,
    },
    folder,
  )
}

export async function benchJournal(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-journal-'))
  write(`\na journal of ${paymentsMany} payments in a file`)
  try {
    return await measureJournals(
      {
        prepare: async () => {},
        fill: fillSqlite,
        addresses: [path.join(folder, 'few.sqlite'), path.join(folder, 'many.sqlite')],
        growthMax: 1.2,
      },
      folder,
    )
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
