// Chaos for a fleet: workers whose clocks are hours apart are killed, the PostgreSQL server is killed and started again, commits are
// cut, and the service fails in every way. Then every row must have been paid once, the ledger must equal the journal to the cent,
// and the cap must hold: node scripts/soak-fleet.ts --rows 10000 --kills 300 --server-kills 20 --cuts 100 --seed 7
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {Big} from 'big.js'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {PostgresProxy, cuttingFaults} from '../test/support/postgres-proxy.ts'
import {PostgresServer} from '../test/support/postgres-server.ts'
import {runSql} from '../test/support/postgres.ts'
import {type Random, createRandom} from '../test/support/random.ts'
import {type Home, createHome, spawnSvc} from '../test/support/svc.ts'
import {type PayoutRow, type Route, bin, writePayouts} from './sandbox-server.ts'
import {
  type FailingService,
  checkPayments,
  isOpenState,
  listMadeIds,
  madeStates,
  pickAmount,
  pickSeed,
  print,
  runSoak,
  startFailingService,
} from './soak.ts'
import {root} from './surface.ts'

const clock = path.join(root, 'scripts/shift-clock.mjs')
const hourMs = 3_600_000
const customersPaid = 4
const batchesAtFirst = 4
// The cap is a little less than all rows, whose amounts are this on average, so that some are stopped by it.
const amountAverage = 54.99
const capShare = 0.97
const profile = 'soak'
const serviceId = 'soak-service'
const submitTriesMax = 30
// If a host whose clock is hours ahead looks for a payment first, the other hosts cannot prove it absent for that long.
const endLimitMs = 90 * 60_000
const advanceEveryMs = 20_000
const advanceMs = 4 * 60_000

interface Host extends Home {
  worker?: ChildProcess | undefined
}

// The hosts, their database behind a proxy that cuts connections, and the service.
interface Fleet {
  service: FailingService
  postgres: PostgresServer
  address: string
  proxy: PostgresProxy
  random: Random
  hosts: Host[]
  rows: PayoutRow[]
  tally: {workerKills: number; serverKills: number; cutCommits: number; batches: number}
  // What `svc payouts status` said that the ledger contradicts.
  untrue: string[]
  isEnding: boolean
}

async function openFleet(seed: number): Promise<Fleet> {
  const service = await startFailingService('fleet', customersPaid)
  // The server runs as another user, who has to reach its own folder in this one.
  fs.chmodSync(service.folder, 0o755)
  const postgres = new PostgresServer(path.join(service.folder, 'postgres'), {fsync: true})
  await postgres.create()
  await postgres.start()
  const address = postgres.getAddress()
  const proxy = await PostgresProxy.open(address)
  const tally = {workerKills: 0, serverKills: 0, cutCommits: 0, batches: 0}
  const empty = {hosts: [], rows: [], untrue: [], isEnding: false}
  return {service, postgres, address, proxy, random: createRandom(seed), tally, ...empty}
}

async function runOrFail(home: Home, args: readonly string[], options: {input?: string} = {}): Promise<void> {
  const {code, err} = await spawnSvc(home, args, options)
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${err}`)
}

// Every host has its own folders, its own clock, and the same journal. All hosts call the service by one name.
async function addHost({service, hosts, proxy, address}: Fleet, cap: string): Promise<void> {
  const index = hosts.length
  const home = createHome(fs.mkdtempSync(path.join(service.folder, 'host-')))
  const shiftMs = (index % 2 === 0 ? 1 : -1) * Math.ceil(index / 2) * 3 * hourMs
  const own = {SVC_PROFILE: profile, SVC_REQUEST_TIMEOUT: '5s', SHIFT_CLOCK_MS: String(shiftMs)}
  const env = {...home.env, ...own, NODE_OPTIONS: `--import ${clock}`, SVC_JOURNAL: address}
  const login = ['login', '--base-url', service.server.url, '--sandbox', '--store', 'file']
  await runOrFail({...home, env}, login, {input: service.server.apiKey})
  if (index === 0) await runOrFail({...home, env}, ['journal', 'init', '--quiet'])
  // The sandbox honours keys.
  const settings = ['--service', serviceId, '--resend', 'yes', '--duplicate-window', '0', '--day-max', `USDC=${cap}`]
  await runOrFail({...home, env}, ['profiles', 'set', profile, ...settings, '--quiet'])
  hosts.push({...home, env: {...env, SVC_JOURNAL: proxy.address}})
}

// A submit whose connection was cut is repeated, and must store the file once.
async function addBatch({service, hosts, random, rows, tally}: Fleet, size: number): Promise<void> {
  const {folder, routes} = service
  const own = Array.from({length: size}, (_, index): PayoutRow => ({
    key: `soak-${rows.length + index + 1}`,
    amount: pickAmount(random.next),
    route: routes[index % routes.length] as Route,
  }))
  const file = path.join(folder, `batch-${tally.batches + 1}.csv`)
  writePayouts(file, own)
  for (let left = submitTriesMax; ; left--) {
    const {code, err} = await spawnSvc(hosts[0] as Host, ['payouts', 'submit', file, '--yes', '--quiet'])
    if (code === 0) break
    if (left === 0 || ![6, 7, 8].includes(code ?? 0)) throw new Error(`svc payouts submit ended with ${code}: ${err}`)
    await sleep(500)
  }
  rows.push(...own)
  tally.batches += 1
}

// Asks until it has an answer: the server may just have been killed.
async function count({address}: Fleet, what: string): Promise<number> {
  for (let left = 100; ; left--) {
    try {
      return Number((await runSql(address, `select count(*) as n from ${what}`))[0]?.['n'])
    } catch (error) {
      if (left === 0) throw error
      await sleep(200)
    }
  }
}

const countOpenBatches = (fleet: Fleet) => count(fleet, 'svc.batches where ended_at is null')

async function keepWorking(fleet: Fleet, host: Host): Promise<void> {
  const args = [bin, 'payouts', 'work', '--yes', '--quiet', '--listen', 'off', '--concurrency', '8']
  while (!fleet.isEnding) {
    const child = spawn(process.execPath, args, {env: host.env, stdio: ['ignore', 'ignore', 'pipe']})
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    host.worker = child
    const [code] = (await once(child, 'close')) as [number | null]
    // A worker that starts while the database is away cannot work, and is started again as a service manager does.
    if (code !== null && code !== 0 && code !== 6) print(`a worker ended with ${code}: ${err.trim()}`)
    if (code !== null) await sleep(300)
  }
}

async function killWorkers(fleet: Fleet, goal: number): Promise<void> {
  const {hosts, random, rows, tally} = fleet
  while (tally.workerKills < goal && !fleet.isEnding) {
    await sleep(300 + random.next() * 1200)
    const victim = random.pick(hosts).worker
    if (victim && victim.exitCode === null && victim.kill('SIGKILL')) tally.workerKills += 1
    if (tally.workerKills % 25 === 0) print(`${tally.workerKills} workers killed, ${rows.length} rows`)
  }
}

async function killServer(fleet: Fleet, goal: number): Promise<void> {
  const {postgres, random, tally} = fleet
  while (tally.serverKills < goal && !fleet.isEnding) {
    await sleep(4_000 + random.next() * 16_000)
    await postgres.kill()
    await sleep(random.next() * 1_500)
    await postgres.start()
    tally.serverKills += 1
  }
}

// Commits are statements of their own, or part of one that writes.
const writes = /^(commit|\s*(with|update|insert|delete)\b)/i

async function cutCommits(fleet: Fleet, goal: number): Promise<void> {
  const {proxy, random, tally} = fleet
  while (tally.cutCommits < goal && !fleet.isEnding) {
    await sleep(200 + random.next() * 1_500)
    const planned = proxy.pendingFaults
    proxy.plan(random.pick(cuttingFaults), random.next() < 0.5 ? /^commit/i : writes)
    const endsAt = performance.now() + 10_000
    while (proxy.pendingFaults > planned && performance.now() < endsAt && !fleet.isEnding) await sleep(50)
    if (proxy.pendingFaults <= planned) tally.cutCommits += 1
    proxy.forgetFaults()
  }
}

// What `svc payouts status --rows` says is held against the ledger while workers are killed: a row that was made before is not said
// to be untried, and one that is said to be made exists afterwards.
async function readWords(fleet: Fleet): Promise<void> {
  const {service, address, hosts, tally, untrue} = fleet
  for (let turn = 0; !fleet.isEnding; turn++) {
    await sleep(2_000)
    const madeBefore = listMadeIds(service.data)
    const args = ['payouts', 'status', `batch-${(turn % tally.batches) + 1}.csv`, '--rows', '-o', 'jsonl', '--quiet']
    const {code, out} = await spawnSvc(hosts[0] as Host, args, {env: {SVC_JOURNAL: address}})
    // The database may have been killed meanwhile.
    if (![0, 7, 8, 9].includes(code ?? 1)) continue
    const madeAfter = listMadeIds(service.data)
    const isUntrue = ({key, state}: {key: string; state: string}) => {
      const id = deriveCorrelationId(serviceId, key)
      if (isOpenState(state)) return code === 0
      return madeStates.has(state) ? !madeAfter.has(id) : madeBefore.has(id)
    }
    const said = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as {key: string; state: string})
    for (const {key, state} of said.filter(isUntrue))
      untrue.push(`${key} is said to be ${state} with code ${code}, which the ledger contradicts`)
  }
}

// What was never made is known to be absent once the service's list has been read twice, minutes apart by its own clock.
async function settleRest(fleet: Fleet): Promise<void> {
  const {control} = fleet.service
  control((sandbox) => sandbox.faults.clear())
  const endsAt = performance.now() + endLimitMs
  let advancedMs = performance.now()
  while ((await countOpenBatches(fleet)) > 0 && performance.now() < endsAt) {
    await sleep(500)
    if (performance.now() - advancedMs < advanceEveryMs) continue
    advancedMs = performance.now()
    control((sandbox) => sandbox.clock.advance(advanceMs))
  }
}

// What the journal and the batches say in the end, and what they do not agree on.
async function readRecords({address}: Fleet) {
  const found = await runSql(
    address,
    `select r.key, r.heard ->> 'state' as heard, p.state, p.transaction_id from svc.batch_rows r left join svc.payments p using (key)`,
  )
  const rows = found.map((row) => ({
    key: String(row['key']),
    heard: String(row['heard']),
    state: String(row['state']),
    transactionId: (row['transaction_id'] ?? undefined) as string | undefined,
  }))
  const stopped = new Set(rows.filter(({heard}) => heard === 'STOPPED').map(({key}) => key))
  const wrong = rows
    .filter(({heard, state}) => state !== 'CREATED' && heard !== state)
    .map(({key, heard, state}) => `${key} is ${heard} in its batch, ${state} in the journal`)
  return {journal: new Map(rows.map((row) => [row.key, row])), isStopped: (key: string) => stopped.has(key), wrong}
}

interface FleetSoakOptions {
  rows: number
  kills: number
  serverKills: number
  cuts: number
  workers: number
  seed: number
}

function stopWorkers(fleet: Fleet, signal: 'SIGTERM' | 'SIGKILL'): void {
  fleet.isEnding = true
  for (const {worker} of fleet.hosts) worker?.kill(signal)
}

async function soakFleet({seed, workers, ...goal}: FleetSoakOptions) {
  const fleet = await openFleet(seed)
  const {service, hosts, rows, tally, untrue} = fleet
  const loops: Array<Promise<void>> = []
  try {
    const batchRows = Math.max(1, Math.ceil(goal.rows / batchesAtFirst))
    const cap = new Big(goal.rows).times(amountAverage).times(capShare)
    while (hosts.length < workers) await addHost(fleet, cap.toFixed(2))
    while (rows.length < goal.rows) await addBatch(fleet, Math.min(batchRows, goal.rows - rows.length))
    print(`${rows.length} rows in ${tally.batches} batches`)
    loops.push(...hosts.map((host) => keepWorking(fleet, host)), readWords(fleet))
    loops.push(killWorkers(fleet, goal.kills), killServer(fleet, goal.serverKills), cutCommits(fleet, goal.cuts))
    const isChaosDone = () =>
      tally.workerKills >= goal.kills && tally.serverKills >= goal.serverKills && tally.cutCommits >= goal.cuts
    // There is always something to interrupt.
    while (!isChaosDone()) {
      await sleep(1_000)
      if ((await countOpenBatches(fleet)) === 0) await addBatch(fleet, batchRows)
    }
    print('the chaos is over; settling what is left')
    await settleRest(fleet)
    stopWorkers(fleet, 'SIGTERM')
    await Promise.all(loops)
    const records = await readRecords(fleet)
    const checked = await checkPayments(service, serviceId, rows, records)
    const overCap = checked.paid.gt(cap) ? [`${checked.paid.toFixed(2)} was paid, over the cap`] : []
    return {
      seed,
      workers,
      ...tally,
      rows: rows.length,
      transactions: checked.transactions,
      stoppedByCap: checked.stopped,
      paid: `${checked.paid.toFixed(2)} USDC`,
      cap: `${cap.toFixed(2)} USDC`,
      adopted: await count(fleet, "svc.history where what = 'ADOPTED'"),
      resent: await count(fleet, "svc.history where what = 'RESENDING'"),
      takeovers: await count(fleet, "svc.history where what = 'TAKEN_OVER'"),
      wrong: [...untrue, ...records.wrong, ...checked.wrong, ...overCap],
    }
  } finally {
    stopWorkers(fleet, 'SIGKILL')
    await Promise.allSettled(loops)
    await fleet.proxy.close()
    await fleet.postgres.stop()
    await service.close()
  }
}

const usual = {rows: 10_000, kills: 300, 'server-kills': 20, cuts: 100, workers: 4, seed: pickSeed()}
await runSoak(usual, ({'server-kills': serverKills, ...numbers}) => soakFleet({...numbers, serverKills}))
