// Rows for the sandbox as a server on one core, against a bare handler that does the same work, and json-server beside it.
import {type ChildProcess, execFileSync, spawn} from 'node:child_process'
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type Sandbox, openSandbox} from '../../src/sandbox/sandbox.ts'
import {root} from '../surface.ts'
import {type LoadRequest, requestsPerSecond, send} from './load.ts'
import {readCpuMs} from './process-cpu.ts'
import {type Bench, type Comparator, type Cost, type Row, type SizeCost, takeTurns} from './row.ts'

const connections = 8
const measureMs = 2000
const usualRounds = 5
const rows = 1000
const pageListSizes = [1_000, 10_000, 100_000]
const walletFunds = '9000000'

export interface Server {
  url: string
  apiKey?: string
  process: ChildProcess
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], {stdio: 'ignore'})
    return os.cpus().length > 1
  } catch {
    return false
  }
}

const pinned = hasTaskset() ? ['taskset', '-c', '1'] : []

// Starts a server on its own core where the machine has two; the load uses the other. It prints its address
// in its first line.
export function start(command: string[]): Promise<Server> {
  const [file = '', ...args] = [...pinned, ...command]
  const child = spawn(file, args, {stdio: ['ignore', 'pipe', 'inherit']})
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const [line, ...rest] = text.split('\n')
      if (rest.length > 0) resolve({...(JSON.parse(line ?? '') as {url: string}), process: child})
    })
    child.on('close', (code) => reject(new Error(`${command.join(' ')} ended with ${code}`)))
  })
}

// The sandbox of svc as a server of its own, on a database file.
export const startSandbox = (bin: string, data: string): Promise<Server> =>
  start([process.execPath, bin, 'sandbox', 'start', '--port', '0', '--data', data, '--json', '--quiet'])

type Kind = 'quote' | 'transaction' | 'page'

interface Target {
  server: Server
  quote: LoadRequest
  page: LoadRequest
  // A request that makes a transaction, from the id of a quote.
  transaction: (quoteId: string) => LoadRequest
}

function createTarget(server: Server, quoteBody: string): Target {
  const headers = {authorization: `Bearer ${server.apiKey ?? 'none'}`}
  return {
    server,
    quote: {method: 'POST', path: '/quotes', headers, body: quoteBody},
    page: {method: 'GET', path: '/transactions?pageSize=100', headers},
    transaction: (quoteId) => ({
      method: 'POST',
      path: '/transactions',
      headers: {...headers, 'x-idempotency-key': randomUUID()},
      body: JSON.stringify({quoteId}),
    }),
  }
}

// Requests a second, and a second of CPU time of the server.
async function measureRate({server, ...requests}: Target, kind: Kind): Promise<Cost> {
  const quotes: string[] = []
  // Enough quotes for all transactions of the measurement.
  if (kind === 'transaction')
    await requestsPerSecond(
      server.url,
      connections,
      measureMs,
      () => requests.quote,
      ({text}) => {
        quotes.push((JSON.parse(text) as {quoteId?: string}).quoteId ?? '')
      },
    )
  const next = () => {
    if (kind !== 'transaction') return requests[kind]
    const quoteId = quotes.pop()
    return quoteId === undefined ? undefined : requests.transaction(quoteId)
  }
  const cpuBeforeMs = readCpuMs(server.process.pid)
  let answered = 0
  const value = await requestsPerSecond(server.url, connections, measureMs, next, () => answered++)
  const cpuMs = readCpuMs(server.process.pid) - cpuBeforeMs
  return {value, ...(cpuMs > 0 && {byCpu: (answered / cpuMs) * 1000})}
}

interface Account {
  paymentAccountId: string
  externalBankAccount?: {bankAccountPaymentMethod: string}
  svcCryptoWallet?: {address: {chain: string}}
}

// The body of a quote from the wallet of a seeded customer to its bank account.
async function createQuoteBody(sandbox: Sandbox): Promise<string> {
  const read = async (at: string) => {
    const headers = {authorization: `Bearer ${sandbox.apiKey}`}
    return (await sandbox.fetch(new Request(`http://localhost${at}`, {headers}))).json()
  }
  const {customers} = (await read('/customers?pageSize=100')) as {
    customers: Array<{customerId: string; customerStatus: string}>
  }
  const customerId = customers.find(({customerStatus}) => customerStatus === 'ACTIVE')?.customerId ?? ''
  const {paymentAccounts} = (await read(`/payment-accounts?customerId=${customerId}&pageSize=100`)) as {
    paymentAccounts: Account[]
  }
  const wallet = paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)
  const bank = paymentAccounts.find(
    (one) => one.externalBankAccount?.bankAccountPaymentMethod === 'ACH' && one.paymentAccountId,
  )
  return JSON.stringify({
    customerId,
    source: {
      sourcePaymentAccountId: wallet?.paymentAccountId,
      sourceCurrency: 'USDC',
      sourcePaymentMethod: wallet?.svcCryptoWallet?.address.chain,
      sourceAmount: '10.00',
    },
    destination: {
      destinationPaymentAccountId: bank?.paymentAccountId,
      destinationPaymentMethod: 'ACH',
      destinationCurrency: 'USD',
    },
  })
}

// Funds that wallet for the whole run, adds transactions, and returns the body of the quote.
export async function prepare(file: string, transactions = rows): Promise<string> {
  const sandbox = openSandbox({file})
  const body = await createQuoteBody(sandbox)
  const {source} = JSON.parse(body) as {source: {sourcePaymentAccountId: string}}
  sandbox.money.fund(source.sourcePaymentAccountId, walletFunds, 'USDC')
  if (transactions > 0) sandbox.money.seedTransactions(transactions)
  sandbox.close()
  return body
}

// json-server stores rows in a JSON file and has no quotes, so only a page and a plain POST are compared.
async function startJsonServer(folder: string): Promise<Server> {
  const sample = {
    transactionStatus: 'COMPLETED',
    source: {sourceAmount: '10.00'},
    destination: {destinationAmount: '9.90'},
  }
  const transactions = Array.from({length: rows}, (_, id) => ({id, ...sample}))
  const file = path.join(folder, 'db.json')
  fs.writeFileSync(file, JSON.stringify({transactions, quotes: []}))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const cli = path.join(root, 'node_modules/json-server/lib/cli/bin.js')
  const flags = ['--quiet', '--host', '127.0.0.1', '--port', String(port), file]
  const [command, ...args]: string[] = [...pinned, process.execPath, cli, ...flags]
  const child = spawn(command ?? '', args, {stdio: 'ignore'})
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    const isUp = await send(url, undefined, {method: 'GET', path: '/transactions?_limit=1'}).then(
      () => true,
      () => false,
    )
    if (isUp) return {url, process: child}
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

interface Targets {
  svc: Target
  bare: Target
}

const shareTargets = ({share, folder}: Bench): Promise<Targets> =>
  share('sandbox targets', async () => {
    const file = path.join(folder, 'sandbox.sqlite')
    const quoteBody = await prepare(file)
    const bareService = [
      path.join(root, 'scripts/bench/bare-service.ts'),
      path.join(folder, 'bare.sqlite'),
      String(rows),
    ]
    const servers = [
      await startSandbox(path.join(root, 'bin/run.js'), file),
      await start([process.execPath, ...bareService]),
    ] as const
    const [svc, bare] = servers
    return {
      value: {svc: createTarget(svc, quoteBody), bare: createTarget(bare, quoteBody)},
      close: () => void servers.map((server) => server.process.kill()),
    }
  })

const bareHandler: Comparator = {
  name: 'a bare handler on node:http and node:sqlite with the same durable writes',
  leavesOut:
    'credentials, validation, limits, prices, faults, webhooks, the request log, the clock and every other endpoint',
}

// The time of one page in lists of three lengths.
async function measurePageSizes(bench: Bench): Promise<SizeCost[]> {
  const sizes: SizeCost[] = []
  for (const size of pageListSizes) {
    const file = path.join(bench.folder, `page-${size}.sqlite`)
    const quoteBody = await prepare(file, size)
    const server = await startSandbox(path.join(root, 'bin/run.js'), file)
    try {
      const {value} = await measureRate(createTarget(server, quoteBody), 'page')
      sizes.push({size, value})
    } finally {
      server.process.kill()
    }
  }
  return sizes
}

const createRow = (kind: Kind, title: string, atLeast: number): Row => ({
  name: `sandbox-${kind}`,
  title,
  unit: 'requests/s',
  comparator: bareHandler,
  bound: {atLeast},
  ...(kind === 'page' && {sizeUnit: 'rows'}),
  measure: async (bench) => {
    const {svc, bare} = await shareTargets(bench)
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      () => measureRate(svc, kind),
      () => measureRate(bare, kind),
    )
    return {rounds, ...(kind === 'page' && {sizes: await measurePageSizes(bench)})}
  },
})

// How json-server, which keeps rows in a JSON file and has no quotes, does against the same bare handler.
const createJsonServerRow = (kind: 'page' | 'quote'): Row => ({
  name: `json-server-${kind}`,
  title: `json-server: ${kind === 'page' ? 'a page of 100' : 'a plain POST'}`,
  unit: 'requests/s',
  comparator: bareHandler,
  measure: async (bench) => {
    const {bare} = await shareTargets(bench)
    const server = await bench.share('json-server', async () => {
      const started = await startJsonServer(bench.folder)
      return {value: started, close: () => void started.process.kill()}
    })
    const target = createTarget(server, bare.quote.body ?? '')
    const own: Target = {...target, page: {...target.page, path: '/transactions?_limit=100'}}
    const rounds = await takeTurns(
      bench.countRounds(usualRounds),
      () => measureRate(own, kind),
      () => measureRate(bare, kind),
    )
    return {rounds, note: `json-server ${readJsonServerVersion()}`}
  },
})

const readJsonServerVersion = () =>
  (JSON.parse(fs.readFileSync(path.join(root, 'node_modules/json-server/package.json'), 'utf8')) as {version: string})
    .version

export const sandboxRows: readonly Row[] = [
  createRow('page', 'sandbox, a page of 100', 1),
  createRow('quote', 'sandbox, a quote', 0.8),
  createRow('transaction', 'sandbox, a transaction', 0.7),
  createJsonServerRow('page'),
  createJsonServerRow('quote'),
]
