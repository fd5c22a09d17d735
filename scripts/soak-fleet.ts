// Chaos for a fleet: workers whose clocks are hours apart are killed, the PostgreSQL server is killed and started again, commits are
// cut, and the service fails in every way. Then every row must have been paid once, the ledger must equal the journal to the cent,
// and the cap must hold: node scripts/soak-fleet.ts --rows 10000 --kills 300 --server-kills 20 --cuts 100 --seed 7
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {Big} from 'big.js'
import {Client} from 'pg'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {openSandbox} from '../src/sandbox/sandbox.ts'
import {PostgresProxy, cuttingFaults} from '../test/support/postgres-proxy.ts'
import {PostgresServer} from '../test/support/postgres-server.ts'
import {
  type PaidRow,
  type Route,
  type RunningServer,
  bin,
  checkPayments,
  createRandom,
  faults,
  fundRoutes,
  isOpenState,
  listMadeIds,
  madeStates,
  pickAmount,
  pickSeed,
  print,
  readBalance,
  runSoak,
  startServer,
  stopServer,
} from './soak.ts'
import {root} from './surface.ts'

const clock = path.join(root, 'scripts/shift-clock.mjs')
const hourMs = 3_600_000
const customersPaid = 4
const concurrency = 8
// The cap is a little less than all rows, whose amounts are this on average, so that some are stopped by it.
const amountAverage = 54.99
const capShare = 0.97
const profile = 'soak'
const serviceId = 'soak-service'
const submitTriesMax = 30
const endLimitMs = 40 * 60_000
const advanceEveryMs = 20_000
const advanceMs = 4 * 60_000

export interface FleetSoakOptions {
  rows: number
  kills: number
  serverKills: number
  cuts: number
  workers: number
  seed: number
  report?: (text: string) => void
}

interface Host {
  env: NodeJS.ProcessEnv
  child?: ChildProcess | undefined
}

const runSvc = (env: NodeJS.ProcessEnv, args: readonly string[], input = '') =>
  new Promise<{code: number | null; out: string; err: string}>((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', clock, bin, ...args], {env})
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) => resolve({code, out, err}))
    child.stdin.end(input)
  })

async function runOrFail(env: NodeJS.ProcessEnv, args: readonly string[], input?: string): Promise<string> {
  const {code, out, err} = await runSvc(env, args, input)
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${err}`)
  return out
}

// Every host has its own folders, its own clock, and the same journal.
async function createHost(folder: string, index: number, address: string, server: RunningServer): Promise<Host> {
  const home = path.join(folder, `host-${index}`)
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    SVC_CONFIG_DIR: path.join(home, 'config'),
    SVC_PROFILE: profile,
    SVC_JOURNAL: address,
    SVC_DUPLICATE_WINDOW: '0',
    SHIFT_CLOCK_MS: String((index % 2 === 0 ? 1 : -1) * Math.ceil(index / 2) * 3 * hourMs),
  }
  fs.mkdirSync(home, {recursive: true})
  const login = ['login', '-p', profile, '--base-url', server.url, '--sandbox', '--store', 'file']
  await runOrFail(env, login, server.apiKey)
  // All hosts call the service by one name, since they share the journal. The sandbox honours keys.
  await runOrFail(env, [
    'profiles',
    'set',
    profile,
    '--service',
    serviceId,
    '--resend',
    'yes',
    '--duplicate-window',
    '0',
    '--quiet',
  ])
  return {env}
}

function writeFile(file: string, rows: readonly PaidRow[], routes: readonly Route[]): void {
  const lines = rows.map(({key, amount, from}) => {
    const {customer, to, chain} = routes.find((route) => route.from === from) as Route
    return `${key},${customer},${from},USDC,${chain},${to},USDC,${chain},${amount}`
  })
  const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount'
  fs.writeFileSync(file, `${[header, ...lines].join('\n')}\n`)
}

async function query(address: string, sql: string): Promise<Array<Record<string, unknown>>> {
  const client = new Client({connectionString: address})
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows as Array<Record<string, unknown>>
  } finally {
    await client.end()
  }
}

// Asks until it has an answer: the server may just have been killed.
async function queryLater(address: string, sql: string): Promise<Array<Record<string, unknown>>> {
  for (let left = 100; ; left--) {
    try {
      return await query(address, sql)
    } catch (error) {
      if (left === 0) throw error
      await sleep(200)
    }
  }
}

export async function soakFleet(options: FleetSoakOptions) {
  const {seed, report = () => {}} = options
  const begun = performance.now()
  const random = createRandom(seed)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-soak-fleet-'))
  // The server runs as another user, who has to reach its own folder in this one.
  fs.chmodSync(folder, 0o755)
  const data = path.join(folder, 'sandbox.sqlite')
  const prepared = openSandbox({file: data})
  const routes = await fundRoutes(prepared, customersPaid)
  const before = new Map(routes.map(({from}) => [from, readBalance(prepared, from)]))
  for (const fault of faults) prepared.faults.add(fault)
  prepared.close()
  const postgres = new PostgresServer(path.join(folder, 'postgres'), {fsync: true})
  await postgres.create()
  await postgres.start()
  const address = postgres.getAddress()
  const proxy = await PostgresProxy.open(address)
  const service = await startServer(data)
  const hosts: Host[] = []
  const tally = {workerKills: 0, serverKills: 0, cutCommits: 0, batches: 0}
  const rows: PaidRow[] = []
  const state = {isEnding: false}
  const loops: Array<Promise<void>> = []

  const addBatch = async (count: number) => {
    const own = Array.from({length: count}, (_, index): PaidRow => ({
      key: `soak-${rows.length + index + 1}`,
      amount: pickAmount(random),
      from: routes[index % routes.length]?.from ?? '',
    }))
    const file = path.join(folder, `batch-${tally.batches + 1}.csv`)
    writeFile(file, own, routes)
    // A submit whose connection was cut is repeated, and must store the file once.
    for (let left = submitTriesMax; ; left--) {
      const {code, err} = await runSvc(hosts[0]?.env ?? {}, ['payouts', 'submit', file, '--yes', '--quiet'])
      if (code === 0) break
      if (left === 0 || ![6, 7, 8].includes(code ?? 0)) throw new Error(`svc payouts submit ended with ${code}: ${err}`)
      await sleep(500)
    }
    rows.push(...own)
    tally.batches += 1
  }

  const openBatches = async () =>
    Number((await queryLater(address, 'select count(*) as n from svc.batches where ended_at is null'))[0]?.['n'])

  const keepWorking = async (host: Host) => {
    while (!state.isEnding) {
      const flags = [
        '--yes',
        '--quiet',
        '--listen',
        'off',
        '--concurrency',
        String(concurrency),
        '--request-timeout',
        '5s',
      ]
      const child = spawn(process.execPath, ['--import', clock, bin, 'payouts', 'work', ...flags], {
        env: host.env,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let err = ''
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
      host.child = child
      const [code] = (await once(child, 'close')) as [number | null]
      // A worker that starts while the database is away cannot work, and is started again as a service manager does.
      if (code !== null && code !== 0 && code !== 6) report(`a worker ended with ${code}: ${err.trim()}`)
      if (code !== null) await sleep(300)
    }
  }

  const killWorkers = async () => {
    while (tally.workerKills < options.kills && !state.isEnding) {
      await sleep(300 + random() * 1200)
      const victim = hosts[Math.floor(random() * hosts.length)]?.child
      if (victim && victim.exitCode === null && victim.kill('SIGKILL')) tally.workerKills += 1
      if (tally.workerKills % 25 === 0) report(`${tally.workerKills} workers killed, ${rows.length} rows`)
    }
  }

  const killServer = async () => {
    while (tally.serverKills < options.serverKills && !state.isEnding) {
      await sleep(4_000 + random() * 16_000)
      await postgres.kill()
      await sleep(random() * 1_500)
      await postgres.start()
      tally.serverKills += 1
    }
  }

  // Commits are statements of their own, or part of one that writes.
  const writes = /^(commit|\s*(with|update|insert|delete)\b)/i
  const cutCommits = async () => {
    while (tally.cutCommits < options.cuts && !state.isEnding) {
      await sleep(200 + random() * 1_500)
      const fault = cuttingFaults[Math.floor(random() * cuttingFaults.length)] ?? 'cutAfter'
      const planned = proxy.pendingFaults
      proxy.plan(fault, random() < 0.5 ? /^commit/i : writes)
      const endsAt = performance.now() + 10_000
      while (proxy.pendingFaults > planned && performance.now() < endsAt && !state.isEnding) await sleep(50)
      if (proxy.pendingFaults <= planned) tally.cutCommits += 1
      proxy.forgetFaults()
    }
  }

  // What `svc payouts status --rows` says is held against the ledger while workers are killed.
  const untrue: string[] = []
  const readWords = async () => {
    for (let turn = 0; !state.isEnding; turn++) {
      await sleep(2_000)
      const madeBefore = listMadeIds(data)
      const batch = `batch-${(turn % tally.batches) + 1}.csv`
      const env = {...hosts[0]?.env, SVC_JOURNAL: address}
      const {code, out} = await runSvc(env, ['payouts', 'status', batch, '--rows', '-o', 'jsonl', '--quiet'])
      // The database may have been killed meanwhile.
      if (code !== 0 && code !== 7 && code !== 8) continue
      untrue.push(...findUntrueRows(code, out, madeBefore, listMadeIds(data)))
    }
  }

  try {
    for (let index = 0; index < options.workers; index++) {
      hosts.push(await createHost(folder, index, proxy.address, service))
    }
    await runOrFail({...hosts[0]?.env, SVC_JOURNAL: address}, ['journal', 'init', '--quiet'])
    const batchRows = Math.max(1, Math.ceil(options.rows / 4))
    const capAmount = new Big(options.rows).times(amountAverage).times(capShare)
    for (const {env} of hosts) {
      await runOrFail(env, ['profiles', 'set', profile, '--day-max', `USDC=${capAmount.toFixed(2)}`, '--quiet'])
    }
    for (let count = 0; count < options.rows; count += batchRows)
      await addBatch(Math.min(batchRows, options.rows - count))
    report(`${rows.length} rows in ${tally.batches} batches`)
    loops.push(...hosts.map(keepWorking), killWorkers(), killServer(), cutCommits(), readWords())
    const isChaosDone = () =>
      tally.workerKills >= options.kills && tally.serverKills >= options.serverKills && tally.cutCommits >= options.cuts
    // There is always something to interrupt.
    while (!isChaosDone()) {
      await sleep(1_000)
      if ((await openBatches()) === 0) await addBatch(batchRows)
    }
    report('the chaos is over; settling what is left')
    const sandbox = openSandbox({file: data})
    sandbox.faults.clear()
    const endsAt = performance.now() + endLimitMs
    // What was never made is known to be absent once the service's list has been read twice, minutes apart by its own clock.
    for (
      let advancedMs = performance.now();
      (await openBatches()) > 0 && performance.now() < endsAt;
      await sleep(500)
    ) {
      if (performance.now() - advancedMs < advanceEveryMs) continue
      advancedMs = performance.now()
      sandbox.clock.advance(advanceMs)
    }
    sandbox.close()
    state.isEnding = true
    for (const {child} of hosts) child?.kill('SIGTERM')
    await Promise.all(loops)
    const records = await readRecords(address)
    const checked = await checkPayments({server: service, serviceId, data, before, rows, ...records})
    const overCap = checked.paid.gt(capAmount) ? [`${checked.paid.toFixed(2)} was paid, over the cap`] : []
    const count = async (sql: string) => Number((await query(address, sql))[0]?.['n'] ?? 0)
    return {
      seed,
      workers: hosts.length,
      ...tally,
      rows: rows.length,
      transactions: checked.transactions,
      stoppedByCap: checked.stopped,
      paid: `${checked.paid.toFixed(2)} USDC`,
      wrong: [...untrue, ...records.wrong, ...checked.wrong, ...overCap],
      cap: `${capAmount.toFixed(2)} USDC`,
      adopted: await count(`select count(*) as n from svc.history where what = 'ADOPTED'`),
      resent: await count(`select count(*) as n from svc.history where what = 'RESENDING'`),
      takeovers: await count(`select count(*) as n from svc.history where what = 'TAKEN_OVER'`),
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    state.isEnding = true
    for (const {child} of hosts) child?.kill('SIGKILL')
    await Promise.allSettled(loops)
    await stopServer(service)
    await proxy.close()
    await postgres.stop()
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

// A row that was made before the result was read is not said to be untried, and one that is said to be made exists afterwards.
function findUntrueRows(
  code: number,
  out: string,
  madeBefore: ReadonlySet<unknown>,
  madeAfter: ReadonlySet<unknown>,
): string[] {
  const rows = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as {key: string; state: string})
  const untrue = rows.filter(({key, state}) => {
    const id = deriveCorrelationId(serviceId, key)
    if (isOpenState(state)) return code === 0
    return madeStates.has(state) ? !madeAfter.has(id) : madeBefore.has(id)
  })
  return untrue.map(({key, state}) => `${key} is said to be ${state} with code ${code}, which the ledger contradicts`)
}

// What the journal and the batches say in the end, and what they do not agree on.
async function readRecords(address: string) {
  const rows = await query(
    address,
    `select r.key, r.heard ->> 'state' as heard, p.state, p.transaction_id from svc.batch_rows r left join svc.payments p using (key)`,
  )
  const journal = new Map(
    rows.map((row) => [
      String(row['key']),
      {state: String(row['state']), transactionId: (row['transaction_id'] ?? undefined) as string | undefined},
    ]),
  )
  const stopped = new Set(rows.filter((row) => row['heard'] === 'STOPPED').map((row) => String(row['key'])))
  const wrong = rows
    .filter((row) => row['state'] !== 'CREATED' && row['heard'] !== row['state'])
    .map(
      (row) => `${String(row['key'])} is ${String(row['heard'])} in its batch, ${String(row['state'])} in the journal`,
    )
  return {journal, isStopped: (key: string) => stopped.has(key), wrong}
}

if (import.meta.main) {
  const usual = {rows: 10_000, kills: 300, 'server-kills': 20, cuts: 100, workers: 4, seed: pickSeed()}
  await runSoak(usual, ({'server-kills': serverKills, ...numbers}) =>
    soakFleet({...numbers, serverKills, report: print}),
  )
}
