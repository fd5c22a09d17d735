// What the soaks share: a sandbox with money in it that fails in every way, its server, and a check of what was paid in the end.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {parseArgs} from 'node:util'
import {Big} from 'big.js'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {type Sandbox, openSandbox} from '../src/sandbox/sandbox.ts'
import {root} from './surface.ts'

export const bin = path.join(root, 'bin/run.js')
const walletFunds = '9000000'

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

const amountMin = 10
const amountSpread = 90

// More than the fees, and no amount that selects an outcome in the sandbox.
export const pickAmount = (random: () => number) =>
  `${amountMin + Math.floor(random() * amountSpread)}.${amountMin + Math.floor(random() * amountSpread)}`

export const readRows = (file: string, sql: string) => {
  const database = new DatabaseSync(file, {readOnly: true})
  const rows = database.prepare(sql).all() as Array<Record<string, unknown>>
  database.close()
  return rows
}

const addAmounts = (amounts: Iterable<string>) => [...amounts].reduce((sum, amount) => sum.plus(amount), new Big(0))

interface ListedTransaction {
  transactionId: string
  correlationId?: string
  source: {sourceAmount: string; sourcePaymentAccountId: string}
}

// Every transaction in the sandbox that svc created.
async function listOwnTransactions({url, apiKey}: RunningServer): Promise<ListedTransaction[]> {
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

export interface PaidRow {
  key: string
  amount: string
  from: string
}

export interface Checked {
  server: RunningServer
  serviceId: string
  // The file of the sandbox, and what was in its wallets at first.
  data: string
  before: ReadonlyMap<string, Big>
  rows: readonly PaidRow[]
  // What the journal says of each key.
  journal: ReadonlyMap<string, {state: string; transactionId?: string | undefined}>
  // Rows that were not to be paid.
  isStopped?: (key: string) => boolean
}

// Compares the rows, the service's list, the journal and the ledger.
export async function checkPayments({server, serviceId, data, before, rows, journal, isStopped}: Checked) {
  const wrong: string[] = []
  const all = await listOwnTransactions(server)
  const byCorrelation = Map.groupBy(all, ({correlationId}) => correlationId)
  const isPaid = ({key}: PaidRow) => {
    const {state} = journal.get(key) ?? {}
    return !(isStopped?.(key) && state === 'STOPPED' && !byCorrelation.has(deriveCorrelationId(serviceId, key)))
  }
  const paid = rows.filter(isPaid)
  for (const {key, amount} of paid) {
    const own = byCorrelation.get(deriveCorrelationId(serviceId, key)) ?? []
    const {state, transactionId} = journal.get(key) ?? {}
    if (own.length !== 1) wrong.push(`${key} has ${own.length} transactions`)
    const [one] = own
    if (one && !new Big(one.source.sourceAmount).eq(amount))
      wrong.push(`${key} is ${one.source.sourceAmount}, not ${amount}`)
    if (state !== 'CREATED') wrong.push(`${key} is ${state} in the journal`)
    else if (transactionId !== one?.transactionId) wrong.push(`${key} is another transaction in the journal`)
  }
  if (all.length !== paid.length) wrong.push(`${all.length} transactions for ${paid.length} rows`)
  const addUp = (added: readonly PaidRow[]) => addAmounts(added.map(({amount}) => amount))
  const sandbox = openSandbox({file: data})
  try {
    sandbox.money.verifyLedger()
    for (const [from, funds] of before) {
      const spent = funds.minus(readBalance(sandbox, from))
      const meant = addUp(paid.filter((row) => row.from === from))
      if (!spent.eq(meant))
        wrong.push(`the ledger has ${spent.toFixed()} out of ${from}, the journal ${meant.toFixed()}`)
    }
  } catch (error) {
    wrong.push(`the ledger: ${String(error)}`)
  } finally {
    sandbox.close()
  }
  return {wrong, transactions: all.length, stopped: rows.length - paid.length, paid: addUp(paid)}
}

// The correlationIds of all transactions, read from the file of the sandbox, whose replies may fail.
export const listMadeIds = (data: string): ReadonlySet<unknown> =>
  new Set(
    readRows(data, "select json_extract(reply, '$.correlationId') as id from transactions").map((row) => row['id']),
  )

// A row of which nothing is known to be made or not made yet.
export const isOpenState = (state: string) => state === 'UNKNOWN' || state === 'IN_PROGRESS'
export const madeStates: ReadonlySet<string> = new Set(['CREATED', 'ENDED_BADLY'])

export const readBalance = (sandbox: Sandbox, accountId: string) =>
  new Big(sandbox.money.balance(accountId, 'USDC') ?? '0')

export async function stopServer({process: child}: RunningServer): Promise<number | null> {
  const stopped = once(child, 'close')
  child.kill('SIGTERM')
  return ((await stopped) as [number | null])[0]
}

export const print = (text: string) => process.stdout.write(`${text}\n`)

// Runs a soak with numbers from the command line, prints its report, and fails if something was wrong.
export async function runSoak<Name extends string>(
  usual: Readonly<Record<Name, number>>,
  soak: (numbers: Record<Name, number>) => Promise<{wrong: readonly string[]}>,
): Promise<void> {
  const names = Object.keys(usual) as Name[]
  const {values} = parseArgs({options: Object.fromEntries(names.map((name) => [name, {type: 'string'} as const]))})
  const numbers = names.map((name) => [name, Number(values[name] ?? usual[name])] as const)
  const report = await soak(Object.fromEntries(numbers) as Record<Name, number>)
  print(JSON.stringify(report, null, 2))
  if (report.wrong.length > 0) process.exitCode = 1
}

export const pickSeed = () => Date.now() % 1_000_000
