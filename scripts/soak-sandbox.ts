// Kills a sandbox server many times while clients write to it, then checks that everything it acknowledged
// is stored: node scripts/soak-sandbox.ts --kills 100
import {type ChildProcess, spawn} from 'node:child_process'
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {parseArgs} from 'node:util'
import {openSandbox, type Sandbox} from '../src/sandbox/sandbox.ts'
import {root} from './surface.ts'

const clients = 6
const walletFunds = '9000000'
const lifeMinMs = 150
const lifeSpreadMs = 450
const deliveryPatienceMs = 60_000
const pollMs = 100

export interface SoakReport {
  kills: number
  customers: number
  patches: number
  transactions: number
  // Writes without a reply, because the server was killed.
  unanswered: number
  events: number
  // Acknowledged writes that are missing, events that were lost, and other problems.
  lost: string[]
}

interface Ready {
  url: string
  apiKey: string
  process: ChildProcess
}

interface Acknowledged {
  customers: string[]
  patches: string[]
  transactions: string[]
  unanswered: number
}

function start(file: string): Promise<Ready> {
  const args = [path.join(root, 'bin/run.js'), 'sandbox', 'start', '--port', '0', '--data', file, '--json', '--quiet']
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

const ended = (child: ChildProcess) => new Promise((resolve) => child.once('close', resolve))

type Body = Record<string, unknown>

// Returns the reply, or undefined if the connection broke.
function ask({url, apiKey}: Ready, agent: http.Agent, method: string, at: string, body?: Body) {
  return new Promise<Body | undefined>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(at === '/transactions' && {'x-idempotency-key': randomUUID()}),
    }
    const request = http.request(url + at, {method, agent, headers}, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(undefined))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode === 200) return resolve(JSON.parse(text) as Body)
        return reject(new Error(`${method} ${at} was answered ${response.statusCode}: ${text}`))
      })
    })
    request.on('error', () => resolve(undefined))
    request.end(body && JSON.stringify(body))
  })
}

interface Account {
  paymentAccountId: string
  svcCryptoWallet?: {address: {chain: string}}
  externalCryptoWallet?: {address: {chain: string}}
}

// Funds the wallet of a seeded customer, and returns the body of a quote from there to its external wallet.
async function routeIn(sandbox: Sandbox): Promise<Body> {
  const read = async <T>(at: string) => {
    const headers = {authorization: `Bearer ${sandbox.apiKey}`}
    return (await sandbox.fetch(new Request(`http://localhost${at}`, {headers}))).json() as T
  }
  const {customers} = await read<{customers: Array<Record<string, string>>}>('/customers?pageSize=100')
  const {customerId = ''} = customers.find(({customerStatus}) => customerStatus === 'ACTIVE') ?? {}
  const at = `/payment-accounts?pageSize=100&customerId=${customerId}`
  const {paymentAccounts} = await read<{paymentAccounts: Account[]}>(at)
  const from = paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)
  const to = paymentAccounts.find(({externalCryptoWallet}) => externalCryptoWallet)
  sandbox.money.fund(from?.paymentAccountId ?? '', walletFunds, 'USDC')
  return {
    customerId,
    source: {
      sourcePaymentAccountId: from?.paymentAccountId,
      sourceCurrency: 'USDC',
      sourcePaymentMethod: from?.svcCryptoWallet?.address.chain,
      sourceAmount: '1',
    },
    destination: {
      destinationPaymentAccountId: to?.paymentAccountId,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: to?.externalCryptoWallet?.address.chain,
    },
  }
}

// One client: sends writes one after the other and records the acknowledged ones until its server is killed.
async function write(server: Ready, route: Body, done: Acknowledged, onTransaction: () => void) {
  const agent = new http.Agent({keepAlive: true, maxSockets: 1})
  try {
    for (;;) {
      const email = `${randomUUID()}@example.com`
      const customer = await ask(server, agent, 'POST', '/customers', {customerType: 'INDIVIDUAL', email})
      if (!customer) break
      const customerId = String(customer['customerId'])
      done.customers.push(customerId)
      const kycData = {legalFirstName: 'Ines', legalLastName: 'Vardø'}
      if (!(await ask(server, agent, 'PATCH', `/customers/${customerId}`, {kycData}))) break
      done.patches.push(customerId)
      const quote = await ask(server, agent, 'POST', '/quotes', route)
      if (!quote) break
      const transaction = await ask(server, agent, 'POST', '/transactions', {quoteId: quote['quoteId']})
      if (!transaction) break
      done.transactions.push(String(transaction['transactionId']))
      onTransaction()
    }
    done.unanswered++
  } finally {
    agent.destroy()
  }
}

// Receives webhooks and records their ids.
async function receiver() {
  const received = new Set<string>()
  const server = http.createServer((request, response) => {
    received.add(String(request.headers['webhook-id']))
    request.resume()
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {received, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`}
}

const idsIn = (file: string, sql: string) => {
  const database = new DatabaseSync(file, {readOnly: true})
  const ids = new Set(
    database
      .prepare(sql)
      .all()
      .map(({id}) => String(id)),
  )
  database.close()
  return ids
}

const missing = (what: string, wanted: readonly string[], found: ReadonlySet<string>) =>
  wanted.filter((id) => !found.has(id)).map((id) => `${what} ${id}`)

function verify(file: string): string[] {
  const sandbox = openSandbox({file})
  try {
    sandbox.money.verifyLedger()
    return []
  } catch (error) {
    return [`the ledger: ${String(error)}`]
  } finally {
    sandbox.close()
  }
}

export async function soak(kills: number, say: (text: string) => void = () => {}): Promise<SoakReport> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-soak-'))
  const file = path.join(folder, 'sandbox.sqlite')
  const {received, server: events, url} = await receiver()
  const done: Acknowledged = {customers: [], patches: [], transactions: [], unanswered: 0}
  const prepared = openSandbox({file})
  prepared.webhooks.add({url})
  const route = await routeIn(prepared)
  prepared.close()
  for (let count = 1; count <= kills; count++) {
    const server = await start(file)
    const {promise: written, resolve: onTransaction} = Promise.withResolvers<void>()
    const work = Array.from({length: clients}, () => write(server, route, done, onTransaction))
    const gone = ended(server.process)
    // The first server lives until it has made a transaction, however slow the machine is.
    if (count === 1) await written
    setTimeout(() => server.process.kill('SIGKILL'), lifeMinMs + Math.random() * lifeSpreadMs)
    await Promise.all([...work, gone])
    if (count % 10 === 0)
      say(`${count} kills, ${done.customers.length} customers, ${done.transactions.length} transactions`)
  }
  // A last server delivers the remaining events.
  const last = await start(file)
  const unsent = () => missing('event', [...idsIn(file, 'select eventId as id from webhookEvents')], received)
  const deadline = performance.now() + deliveryPatienceMs
  let undelivered = unsent()
  while (performance.now() < deadline && undelivered.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    undelivered = unsent()
  }
  const stopped = ended(last.process)
  last.process.kill('SIGTERM')
  const code = await stopped
  events.closeAllConnections()
  events.close()
  const lost = [
    ...missing('customer', done.customers, idsIn(file, 'select customerId as id from customers')),
    ...missing('patch of', done.patches, idsIn(file, 'select customerId as id from customers where reviewCount > 0')),
    ...missing('transaction', done.transactions, idsIn(file, 'select transactionId as id from transactions')),
    ...missing('event about', done.patches, idsIn(file, 'select customerId as id from webhookEvents')),
    ...undelivered,
    ...verify(file),
    ...(code === 0 ? [] : [`the last server ended with ${String(code)}`]),
  ]
  const report = {
    kills,
    customers: done.customers.length,
    patches: done.patches.length,
    transactions: done.transactions.length,
    unanswered: done.unanswered,
    events: received.size,
    lost,
  }
  fs.rmSync(folder, {recursive: true, force: true})
  return report
}

if (import.meta.main) {
  const {values} = parseArgs({options: {kills: {type: 'string', default: '100'}}})
  const report = await soak(Number(values.kills), (text) => process.stdout.write(`${text}\n`))
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  if (report.lost.length > 0) process.exitCode = 1
}
