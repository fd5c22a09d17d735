// Rows for the sandbox as a server on one core, against a bare handler that does the same work.
import {type ChildProcess, execFileSync, spawn} from 'node:child_process'
import {randomUUID} from 'node:crypto'
import os from 'node:os'
import path from 'node:path'
import {type Sandbox, openSandbox} from '../../src/sandbox/sandbox.ts'
import {root} from '../surface.ts'
import {addTransactions} from './add-transactions.ts'
import {type LoadRequest, requestsPerSecond} from './load.ts'
import {readCpuMs} from './process-cpu.ts'
import {type Bench, type Comparator, type Cost, type Row, takeTurns} from './row.ts'

const connections = 8
const measureMs = 2000
const usualRounds = 5
const rows = 1000
const walletFunds = '9000000'

export interface Server {
  url: string
  apiKey?: string
  process: ChildProcess
}

export const bin = path.join(root, 'bin/run.js')

// NODE_EXTRA_CA_CERTS alone costs more than a start of svc.
export function createEnv(folder: string): NodeJS.ProcessEnv {
  const {NODE_EXTRA_CA_CERTS: _, SVC_PROFILE: _profile, ...inherited} = process.env
  return {...inherited, HOME: folder, SVC_CONFIG_DIR: path.join(folder, 'config'), SVC_CACHE_DIR: folder}
}

// With a profile that says that the sandbox honours keys; where that is not known, each payment is looked for again before it is sent.
export function logIn(folder: string, {url, apiKey = ''}: Server): NodeJS.ProcessEnv {
  const env = {...createEnv(folder), SVC_PROFILE: 'bench'}
  const login = ['login', '-p', 'bench', '--base-url', url, '--sandbox', '--store', 'file', '--quiet']
  execFileSync(process.execPath, [bin, ...login], {env, input: `${apiKey}\n`})
  execFileSync(process.execPath, [bin, 'profiles', 'set', 'bench', '--resend', 'yes', '--quiet'], {env})
  return env
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
export const startSandbox = (program: string, data: string): Promise<Server> =>
  start([process.execPath, program, 'sandbox', 'start', '--port', '0', '--data', data, '--json', '--quiet'])

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
  sandbox.close()
  addTransactions(file, transactions)
  return body
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
    const servers = [await startSandbox(bin, file), await start([process.execPath, ...bareService])] as const
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

const createRow = (kind: Kind, title: string, atLeast: number): Row => ({
  name: `sandbox-${kind}`,
  title,
  unit: 'requests/s',
  comparator: bareHandler,
  bound: {atLeast},
  measure: async (bench) => {
    const {svc, bare} = await shareTargets(bench)
    return takeTurns(
      bench.countRounds(usualRounds),
      () => measureRate(svc, kind),
      () => measureRate(bare, kind),
    )
  },
})

export const sandboxRows: readonly Row[] = [
  createRow('page', 'sandbox, a page of 100', 0.3),
  createRow('quote', 'sandbox, a quote', 0.6),
  createRow('transaction', 'sandbox, a transaction', 0.5),
]
