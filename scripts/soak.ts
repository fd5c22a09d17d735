// What the soaks share: a service that fails in every way, a check of what was paid in the end, and how a soak is run.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {parseArgs} from 'node:util'
import {Big} from 'big.js'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {type Sandbox, openSandbox} from '../src/sandbox/sandbox.ts'
import {
  type PayoutRow,
  type Route,
  type Server,
  fundRoutes,
  sandboxCommand,
  startServer,
  stopServer,
} from './sandbox-server.ts'

// Faults of a service on a bad day: every kind that is shorter than a run. Slow ones are rare.
const faults = [
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

export interface FailingService {
  folder: string
  // The file of the sandbox, and what was in its wallets at first.
  data: string
  server: Server
  routes: readonly Route[]
  before: ReadonlyMap<string, Big>
  // Opens the sandbox beside its server.
  control: <T>(work: (sandbox: Sandbox) => T) => T
  close: () => Promise<void>
}

export async function startFailingService(name: string, customers: number): Promise<FailingService> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `svc-soak-${name}-`))
  const data = path.join(folder, 'sandbox.sqlite')
  const sandbox = openSandbox({file: data})
  const routes = await fundRoutes(sandbox, customers)
  const before = new Map(
    routes.map(({source}) => source.sourcePaymentAccountId).map((id) => [id, readBalance(sandbox, id)]),
  )
  for (const fault of faults) sandbox.faults.add(fault)
  sandbox.close()
  const server = await startServer(sandboxCommand(data))
  const control: FailingService['control'] = (work) => {
    const opened = openSandbox({file: data})
    try {
      return work(opened)
    } finally {
      opened.close()
    }
  }
  const close = async () => {
    await stopServer(server)
    fs.rmSync(folder, {recursive: true, force: true})
  }
  return {folder, data, server, routes, before, control, close}
}

// More than the fees, and no amount that selects an outcome in the sandbox.
export const pickAmount = (random: () => number) =>
  `${10 + Math.floor(random() * 90)}.${10 + Math.floor(random() * 90)}`

export const readRows = (file: string, sql: string) => {
  const database = new DatabaseSync(file, {readOnly: true})
  const rows = database.prepare(sql).all() as Array<Record<string, unknown>>
  database.close()
  return rows
}

interface ListedTransaction {
  transactionId: string
  correlationId?: string
  source: {sourceAmount: string}
}

// Every transaction in the sandbox that svc created.
async function listOwnTransactions({url, apiKey}: Server): Promise<ListedTransaction[]> {
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

export interface Records {
  // What the journal says of each key.
  journal: ReadonlyMap<string, {state: string; transactionId?: string | undefined}>
  // Rows that were not to be paid.
  isStopped?: (key: string) => boolean
}

// Compares the rows, the service's list, the journal and the ledger.
export async function checkPayments(
  {server, before, control}: FailingService,
  serviceId: string,
  rows: readonly PayoutRow[],
  {journal, isStopped}: Records,
) {
  const wrong: string[] = []
  const all = await listOwnTransactions(server)
  const byCorrelation = Map.groupBy(all, ({correlationId}) => correlationId)
  const isPaid = ({key}: PayoutRow) => {
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
  const addUp = (added: readonly PayoutRow[]) => added.reduce((sum, {amount}) => sum.plus(amount), new Big(0))
  const checkLedger = (sandbox: Sandbox) => {
    sandbox.money.verifyLedger()
    for (const [from, funds] of before) {
      const spent = funds.minus(readBalance(sandbox, from))
      const meant = addUp(paid.filter(({route}) => route.source.sourcePaymentAccountId === from))
      if (!spent.eq(meant))
        wrong.push(`the ledger has ${spent.toFixed()} out of ${from}, the journal ${meant.toFixed()}`)
    }
  }
  try {
    control(checkLedger)
  } catch (error) {
    wrong.push(`the ledger: ${String(error)}`)
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

const readBalance = (sandbox: Sandbox, accountId: string) => new Big(sandbox.money.balance(accountId, 'USDC') ?? '0')

export const print = (text: string) => process.stdout.write(`${text}\n`)

// Runs a soak with numbers from the command line, prints its report, and fails if something was wrong.
export async function runSoak<Name extends string>(
  usual: Readonly<Record<Name, number>>,
  soak: (numbers: Record<Name, number>) => Promise<{wrong: readonly string[]}>,
): Promise<void> {
  const names = Object.keys(usual) as Name[]
  const {values} = parseArgs({options: Object.fromEntries(names.map((name) => [name, {type: 'string'} as const]))})
  const numbers = names.map((name) => [name, Number(values[name] ?? usual[name])] as const)
  const begun = performance.now()
  const report = await soak(Object.fromEntries(numbers) as Record<Name, number>)
  print(JSON.stringify({...report, seconds: Math.round((performance.now() - begun) / 1000)}, null, 2))
  if (report.wrong.length > 0) process.exitCode = 1
}

export const pickSeed = () => Math.floor(Math.random() * 2 ** 30)
