// Kills `svc payouts run` on one file many times while the service fails in every way, then checks that every row was paid
// exactly once: node scripts/soak-payouts.ts --kills 1000 --seed 7
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {parseArgs} from 'node:util'
import {Big} from 'big.js'
import {parse} from 'csv-parse/sync'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {openSandbox, type Sandbox} from '../src/sandbox/sandbox.ts'
import {root} from './surface.ts'

const walletFunds = '9000000'
const concurrency = 4
// How many rows there are at first, and are added when all are paid, so that there is always work to interrupt.
const rowsDefault = 100
const lastRunsMax = 40
const bin = path.join(root, 'bin/run.js')

// A seeded random number generator (mulberry32), which returns numbers from 0 to 1.
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// Faults of a service on a bad day: every kind that is shorter than a run. Slow ones are rare.
export const faults = [
  {method: 'POST', path: '/transactions', kind: 'lose', probability: 0.06},
  {method: 'POST', path: '/transactions', kind: 'truncate', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'garbage', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'reset', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'html', probability: 0.03},
  {method: 'POST', path: '/transactions', kind: 'status', status: 503, probability: 0.03},
  {method: 'POST', path: '/transactions', kind: 'status', status: 429, probability: 0.02},
  {method: 'POST', path: '/transactions', kind: 'delay', delayMs: 120, probability: 0.4},
  {method: 'POST', path: '/quotes', kind: 'lose', probability: 0.03},
  {method: 'POST', path: '/quotes', kind: 'status', status: 502, probability: 0.03},
  {method: 'POST', path: '/quotes', kind: 'delay', delayMs: 60, probability: 0.4},
  {method: 'GET', path: '/transactions', kind: 'reset', probability: 0.05},
  {method: 'GET', path: '/transactions', kind: 'status', status: 500, probability: 0.05},
] as const

// Most processes are killed while they pay, some earlier: while they start, read the file or look for earlier payments.
const atWorkShare = 0.8
const workMaxMs = 700
const lifeMaxMs = 2500

interface KillMoment {
  // Counted from the start of the process, or from the first row that it has paid.
  startMs?: number
  workMs?: number
}

const pickKillMoment = (random: () => number): KillMoment =>
  random() < atWorkShare ? {workMs: random() * workMaxMs} : {startMs: random() * lifeMaxMs}

interface KilledRun {
  code: number | null
  killed: boolean
  // Whether it had reported a row that it paid itself.
  atWork: boolean
  stderr: string
}

// Runs svc as a process of its own, and kills it (SIGKILL) at the given moment.
function runUntilKilled(env: NodeJS.ProcessEnv, args: readonly string[], moment: KillMoment = {}): Promise<KilledRun> {
  const child = spawn(process.execPath, [bin, ...args], {env, stdio: ['ignore', 'pipe', 'pipe']})
  const end = () => void child.kill('SIGKILL')
  // Nothing of it is left if this process ends first.
  process.once('exit', end)
  let [atWork, killed, tail, stderr] = [false, false, '', '']
  let timer: NodeJS.Timeout | undefined
  const killIn = (ms: number) => {
    timer ??= setTimeout(() => {
      killed = true
      end()
    }, ms)
  }
  if (moment.startMs !== undefined) killIn(moment.startMs)
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (tail + chunk.toString()).split('\n')
    tail = lines.pop() ?? ''
    atWork ||= lines.some((line) => line.includes('"CREATED"') && !line.includes('"madeBefore"'))
    if (atWork && moment.workMs !== undefined) killIn(moment.workMs)
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      process.off('exit', end)
      resolve({code, killed: killed && code === null, atWork, stderr})
    })
  })
}

export interface PayoutsSoakReport {
  seed: number
  kills: number
  // How many of these hit a process that had paid at least one row.
  killsAtWork: number
  runs: number
  rows: number
  transactions: number
  paid: string
  // Payments whose reply was lost, found in the list or sent again.
  adopted: number
  resent: number
  seconds: number
  // Problems: a row paid twice or not at all, an amount that differs between journal and ledger, a word that the ledger contradicts.
  wrong: string[]
}

export interface RunningServer {
  url: string
  apiKey: string
  process: ChildProcess
}

export function startServer(file: string): Promise<RunningServer> {
  const args = [bin, 'sandbox', 'start', '--port', '0', '--data', file, '--json', '--quiet']
  const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit']})
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve({...(JSON.parse(text) as {url: string; apiKey: string}), process: child})
    })
    child.on('close', (code) => reject(new Error(`The server ended with ${code} before it was ready`)))
  })
}

interface Account {
  paymentAccountId: string
  svcCryptoWallet?: {address: {chain: string}}
  externalCryptoWallet?: {address: {chain: string}}
}

export interface Route {
  customer: string
  from: string
  to: string
  chain: string
}

// Funds the wallets of some seeded customers, and returns routes from there to their external wallets.
export async function fundRoutes(sandbox: Sandbox, wanted: number): Promise<Route[]> {
  const read = async <T>(at: string) => {
    const headers = {authorization: `Bearer ${sandbox.apiKey}`}
    return (await sandbox.fetch(new Request(`http://localhost${at}`, {headers}))).json() as T
  }
  const {customers} = await read<{customers: Array<Record<string, string>>}>('/customers?pageSize=100')
  const active = customers.filter(({customerStatus}) => customerStatus === 'ACTIVE').slice(0, wanted)
  const routes: Route[] = []
  for (const {customerId = ''} of active) {
    const at = `/payment-accounts?pageSize=100&customerId=${customerId}`
    const {paymentAccounts} = await read<{paymentAccounts: Account[]}>(at)
    const from = paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)
    const to = paymentAccounts.find(({externalCryptoWallet}) => externalCryptoWallet)
    const chain = from?.svcCryptoWallet?.address.chain
    if (!from || !to || !chain) continue
    sandbox.money.fund(from.paymentAccountId, walletFunds, 'USDC')
    routes.push({customer: customerId, from: from.paymentAccountId, to: to.paymentAccountId, chain})
  }
  return routes
}

const customersPaid = 3
const amountMin = 10
const amountSpread = 90

// More than the fees, and no amount that selects an outcome in the sandbox.
export const pickAmount = (random: () => number) =>
  `${amountMin + Math.floor(random() * amountSpread)}.${amountMin + Math.floor(random() * amountSpread)}`

interface PayoutFile {
  file: string
  rows: Array<{key: string; amount: string; from: string}>
  grow(count: number): void
}

function createPayoutFile(file: string, routes: readonly Route[], random: () => number): PayoutFile {
  fs.writeFileSync(file, 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount\n')
  const rows: PayoutFile['rows'] = []
  return {
    file,
    rows,
    grow(count) {
      for (let added = 0; added < count; added++) {
        const {customer, from, to, chain} = routes[rows.length % routes.length] as Route
        const [key, amount] = [`soak-${rows.length + 1}`, pickAmount(random)]
        rows.push({key, amount, from})
        fs.appendFileSync(file, `${key},${customer},${from},USDC,${chain},${to},USDC,${chain},${amount}\n`)
      }
    },
  }
}

const runFlags = ['--yes', '-o', 'jsonl', '--concurrency', String(concurrency), '--request-timeout', '5s']

async function runPayouts(env: NodeJS.ProcessEnv, file: string, moment?: KillMoment): Promise<KilledRun> {
  const ended = await runUntilKilled(env, ['payouts', 'run', file, ...runFlags], moment)
  if (ended.code !== 1 && ended.code !== 2) return ended
  throw new Error(`svc payouts run ended with ${ended.code}: ${ended.stderr}`)
}

const readRows = (file: string, sql: string) => {
  const database = new DatabaseSync(file, {readOnly: true})
  const rows = database.prepare(sql).all() as Array<Record<string, unknown>>
  database.close()
  return rows
}

export const addAmounts = (amounts: Iterable<string>) =>
  [...amounts].reduce((sum, amount) => sum.plus(amount), new Big(0))

interface CheckResult {
  wrong: string[]
  transactions: number
  paid: string
}

interface ListedTransaction {
  transactionId: string
  correlationId?: string
  source: {sourceAmount: string; sourcePaymentAccountId: string}
}

// Every transaction in the sandbox that svc created.
export async function listOwnTransactions({url, apiKey}: RunningServer): Promise<ListedTransaction[]> {
  const all: ListedTransaction[] = []
  let token: string | undefined
  do {
    const at = `${url}/transactions?pageSize=100${token ? `&pageToken=${encodeURIComponent(token)}` : ''}`
    const reply = await fetch(at, {headers: {authorization: `Bearer ${apiKey}`}})
    const page = (await reply.json()) as {transactions: ListedTransaction[]; nextPageToken?: string}
    all.push(...page.transactions.filter(({correlationId}) => correlationId?.startsWith('svc_')))
    token = page.nextPageToken
  } while (token)
  return all
}

// Compares the rows, the service's list, the journal and the ledger.
async function checkPayments(
  server: RunningServer,
  files: {data: string; journal: string},
  rows: PayoutFile['rows'],
  before: Map<string, Big>,
) {
  const wrong: string[] = []
  const all = await listOwnTransactions(server)
  const byCorrelation = Map.groupBy(all, ({correlationId}) => correlationId)
  const journal = new Map(
    readRows(files.journal, 'select key, state, payment from payments').map((row) => [String(row['key']), row]),
  )
  for (const {key, amount} of rows) {
    const own = byCorrelation.get(deriveCorrelationId(server.url, key)) ?? []
    if (own.length !== 1) wrong.push(`${key} has ${own.length} transactions`)
    const [one] = own
    if (one && !new Big(one.source.sourceAmount).eq(amount))
      wrong.push(`${key} is ${one.source.sourceAmount}, not ${amount}`)
    const kept = journal.get(key)
    const {transactionId} = JSON.parse((kept?.['payment'] ?? '{}') as string) as {transactionId?: string}
    if (kept?.['state'] !== 'CREATED') wrong.push(`${key} is ${String(kept?.['state'])} in the journal`)
    else if (transactionId !== one?.transactionId) wrong.push(`${key} is another transaction in the journal`)
  }
  if (all.length !== rows.length) wrong.push(`${all.length} transactions for ${rows.length} rows`)
  const sandbox = openSandbox({file: files.data})
  try {
    sandbox.money.verifyLedger()
    for (const [from, funds] of before) {
      const spent = funds.minus(readBalance(sandbox, from))
      const meant = addAmounts(rows.filter((row) => row.from === from).map(({amount}) => amount))
      if (!spent.eq(meant))
        wrong.push(`the ledger has ${spent.toFixed()} out of ${from}, the journal ${meant.toFixed()}`)
    }
  } catch (error) {
    wrong.push(`the ledger: ${String(error)}`)
  } finally {
    sandbox.close()
  }
  return {
    wrong,
    transactions: all.length,
    paid: addAmounts(rows.map(({amount}) => amount)).toFixed(2),
  } satisfies CheckResult
}

// The correlationIds of all transactions, read from the file of the sandbox, whose replies may fail.
export const listMadeIds = (data: string): ReadonlySet<unknown> =>
  new Set(
    readRows(data, "select json_extract(reply, '$.correlationId') as id from transactions").map((row) => row['id']),
  )

// A row of which nothing is known to be made or not made yet.
export const isOpenState = (state: string) => state === 'UNKNOWN' || state === 'IN_PROGRESS'
export const madeStates: ReadonlySet<string> = new Set(['CREATED', 'ENDED_BADLY'])

// Codes with which a run says that nothing was made.
const nothingMadeCodes: ReadonlySet<number | null> = new Set([3, 4, 5, 6])
// Compares what a run that ended by itself said, in its result file and by its code, with the ledger of the service at that moment. A
// row that is UNKNOWN or IN_PROGRESS may be either.
function findUntrueWords(
  {data, payouts}: {data: string; payouts: string},
  serviceId: string,
  {code, stderr}: Pick<KilledRun, 'code' | 'stderr'>,
): string[] {
  const made = listMadeIds(data)
  const said: Array<Record<string, string>> = parse(fs.readFileSync(`${payouts}.result.csv`), {columns: true})
  const rows = said.map(({key = '', state = ''}) => ({
    key,
    state,
    isMade: made.has(deriveCorrelationId(serviceId, key)),
  }))
  const untrue = rows.filter(({state, isMade}) => !isOpenState(state) && madeStates.has(state) !== isMade)
  const words = untrue.map(
    ({key, state, isMade}) => `${key} is said to be ${state}, and was ${isMade ? '' : 'not '}made`,
  )
  const unmade = rows.filter(({isMade}) => !isMade)
  if (code === 0 && unmade.length > 0) words.push(`code 0, and ${unmade.length} rows were not made`)
  if (nothingMadeCodes.has(code) && unmade.length < rows.length)
    words.push(`code ${code}, and rows were made: ${stderr}`)
  return words
}

export const readBalance = (sandbox: Sandbox, accountId: string) =>
  new Big(sandbox.money.balance(accountId, 'USDC') ?? '0')

interface SoakOptions {
  kills: number
  // Decides when a process is killed, and what is paid.
  seed: number
  rows?: number
  report?: (text: string) => void
}

export async function soakPayouts(options: SoakOptions): Promise<PayoutsSoakReport> {
  const {kills, seed, rows = rowsDefault, report = () => {}} = options
  const begun = performance.now()
  const random = createRandom(seed)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-soak-payouts-'))
  const files = {data: path.join(folder, 'sandbox.sqlite'), journal: path.join(folder, 'journal.sqlite')}
  const prepared = openSandbox({file: files.data})
  const routes = await fundRoutes(prepared, customersPaid)
  const before = new Map(routes.map(({from}) => [from, readBalance(prepared, from)]))
  for (const fault of faults) prepared.faults.add(fault)
  prepared.close()
  const server = await startServer(files.data)
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_JOURNAL: files.journal,
    SVC_BASE_URL: server.url,
    SVC_API_KEY: server.apiKey,
    // The sandbox honours keys. Several rows may pay the same amount to the same account.
    SVC_RESEND: 'yes',
    SVC_DUPLICATE_WINDOW: '0',
  }
  const payouts = createPayoutFile(path.join(folder, 'payouts.csv'), routes, random)
  payouts.grow(rows)
  const tally = {kills: 0, killsAtWork: 0, runs: 0}
  const untrue: string[] = []
  try {
    while (tally.kills < kills) {
      const ended = await runPayouts(env, payouts.file, pickKillMoment(random))
      const {code, killed, atWork} = ended
      tally.runs++
      if (!killed) untrue.push(...findUntrueWords({...files, payouts: payouts.file}, server.url, ended))
      if (killed) tally.kills++
      if (killed && atWork) tally.killsAtWork++
      if (code === 0) payouts.grow(rows)
      if (killed && tally.kills % 50 === 0) report(`${tally.kills} kills, ${payouts.rows.length} rows`)
    }
    const sandbox = openSandbox({file: files.data})
    sandbox.faults.clear()
    sandbox.close()
    // Open payments are settled and paid until nothing is left to do.
    let last: number | null = null
    for (let runs = 0; runs < lastRunsMax && last !== 0; runs++) {
      const ended = await runPayouts(env, payouts.file)
      untrue.push(...findUntrueWords({...files, payouts: payouts.file}, server.url, ended))
      last = ended.code
    }
    const result = await checkPayments(server, files, payouts.rows, before)
    const counted = (what: string) =>
      Number(readRows(files.journal, `select count(*) as n from history where what = '${what}'`)[0]?.['n'])
    return {
      seed,
      ...tally,
      rows: payouts.rows.length,
      transactions: result.transactions,
      paid: `${result.paid} USDC`,
      adopted: counted('ADOPTED'),
      resent: counted('RESENDING'),
      seconds: Math.round((performance.now() - begun) / 1000),
      wrong: [...untrue, ...result.wrong, ...(last === 0 ? [] : [`the last run ended with ${String(last)}`])],
    }
  } finally {
    const stopped = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    await stopped
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

if (import.meta.main) {
  const {values} = parseArgs({options: {kills: {type: 'string', default: '1000'}, seed: {type: 'string'}}})
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  const report = await soakPayouts({
    kills: Number(values.kills),
    seed,
    report: (text) => process.stdout.write(`${text}\n`),
  })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  if (report.wrong.length > 0) process.exitCode = 1
}
