// Measures the sandbox server on one core, relative to a bare handler that does the same work and to json-server.
import {type ChildProcess, execFileSync, spawn} from 'node:child_process'
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {root} from '../surface.ts'
import {type LoadRequest, requestsPerSecond, send} from './load.ts'

const connections = 8
const measureMs = 4000
const rows = 1000
const walletFunds = '9000000'

// The targets of the project: at least half the speed of the bare handler, and faster than json-server.
const shareMin = 0.5
const deepRatioMax = 1.5
const customersMany = 100_000
const transactionsMany = 1_000_000
const pagesTimed = 200

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

interface Figures {
  quote: number
  transaction: number
  page: number
}

async function measure({url, apiKey = 'none'}: Server, quoteBody: string): Promise<Figures> {
  const headers = {authorization: `Bearer ${apiKey}`}
  const askQuote = (): LoadRequest => ({method: 'POST', path: '/quotes', headers, body: quoteBody})
  const quote = await requestsPerSecond(url, connections, measureMs, askQuote)
  const quotes: string[] = []
  // Enough quotes for all transactions of the measurement.
  await requestsPerSecond(url, connections, measureMs, askQuote, ({text}) => {
    quotes.push((JSON.parse(text) as {quoteId: string}).quoteId)
  })
  const transaction = await requestsPerSecond(url, connections, measureMs, () => {
    const quoteId = quotes.pop()
    if (quoteId === undefined) return undefined
    const keyed = {...headers, 'x-idempotency-key': randomUUID()}
    return {method: 'POST', path: '/transactions', headers: keyed, body: JSON.stringify({quoteId})}
  })
  const askPage = (): LoadRequest => ({method: 'GET', path: '/transactions?pageSize=100', headers})
  return {quote, transaction, page: await requestsPerSecond(url, connections, measureMs, askPage)}
}

interface Account {
  paymentAccountId: string
  externalBankAccount?: {bankAccountPaymentMethod: string}
  svcCryptoWallet?: {address: {chain: string}}
}

// Funds the wallet of a seeded customer for the whole run, and returns the body of a quote to its bank account.
export async function prepare(file: string): Promise<string> {
  const sandbox = openSandbox({file})
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
  sandbox.money.fund(wallet?.paymentAccountId ?? '', walletFunds, 'USDC')
  sandbox.money.seedTransactions(rows)
  sandbox.close()
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

async function measureJsonServer({url}: Server, body: string): Promise<Figures> {
  const post = (to: string) => () => ({method: 'POST', path: to, body})
  return {
    quote: await requestsPerSecond(url, connections, measureMs, post('/quotes')),
    transaction: await requestsPerSecond(url, connections, measureMs, post('/transactions')),
    page: await requestsPerSecond(url, connections, measureMs, () => ({
      method: 'GET',
      path: '/transactions?_limit=100',
    })),
  }
}

const write = (text: string) => process.stdout.write(`${text}\n`)

export async function benchSandbox(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  const file = path.join(folder, 'sandbox.sqlite')
  const quoteBody = await prepare(file)
  const run = async (server: Server, measured: (server: Server, body: string) => Promise<Figures>) => {
    const figures = await measured(server, quoteBody)
    server.process.kill()
    return figures
  }
  const svc = await run(await startSandbox(path.join(root, 'bin/run.js'), file), measure)
  const bare = await run(
    await start([
      process.execPath,
      path.join(root, 'scripts/bench/bare-service.ts'),
      path.join(folder, 'bare.sqlite'),
      String(rows),
    ]),
    measure,
  )
  const jsonServer = await run(await startJsonServer(folder), measureJsonServer)
  write(`\nsandbox on one core, requests a second with ${connections} connections`)
  write(
    `${''.padEnd(14)}${'sandbox'.padStart(9)}${'bare'.padStart(9)}${'share'.padStart(8)}${'json-server'.padStart(13)}`,
  )
  let good = true
  for (const what of ['quote', 'transaction', 'page'] as const) {
    const share = svc[what] / bare[what]
    if (share < shareMin || svc[what] < jsonServer[what]) good = false
    const figures = [svc[what].toFixed(0).padStart(9), bare[what].toFixed(0).padStart(9), share.toFixed(2).padStart(8)]
    write(
      `${what.padEnd(14)}${figures.join('')}${jsonServer[what].toFixed(0).padStart(13)}  at least ${shareMin} of bare, ahead of json-server`,
    )
  }
  fs.rmSync(folder, {recursive: true, force: true})
  return good
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

// Pages at the beginning and deep in a long list, measured alternately so that noise of the machine affects both.
export async function benchDeepPages(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  const sandbox = openSandbox({file: path.join(folder, 'sandbox.sqlite')})
  const started = performance.now()
  sandbox.seedCustomers(customersMany)
  sandbox.money.seedTransactions(transactionsMany)
  const seconds = (performance.now() - started) / 1000
  write(`\n${customersMany} customers and ${transactionsMany} transactions seeded in ${seconds.toFixed(0)} s`)
  const headers = {authorization: `Bearer ${sandbox.apiKey}`}
  const page = async (list: string, token: string | undefined) => {
    const at = `http://localhost/${list}?pageSize=100${token ? `&pageToken=${token}` : ''}`
    const begun = performance.now()
    const body = (await (await sandbox.fetch(new Request(at, {headers}))).json()) as {nextPageToken?: string}
    return {ms: performance.now() - begun, next: body.nextPageToken}
  }
  let good = true
  for (const list of ['customers', 'transactions']) {
    let deep: string | undefined
    for (let count = 0; count < (list === 'customers' ? 900 : 2000); count++) deep = (await page(list, deep)).next
    const times = {first: [] as number[], deep: [] as number[]}
    for (let count = 0; count < pagesTimed; count++) {
      times.first.push((await page(list, undefined)).ms)
      times.deep.push((await page(list, deep)).ms)
    }
    const ratio = median(times.deep) / median(times.first)
    if (ratio > deepRatioMax) good = false
    write(`a deep page of ${list.padEnd(13)}${ratio.toFixed(2).padStart(6)} of the first page  at most ${deepRatioMax}`)
  }
  sandbox.close()
  fs.rmSync(folder, {recursive: true, force: true})
  return good
}
