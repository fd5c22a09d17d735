// Kills a sandbox server many times while clients write to it, then checks that everything it acknowledged
// is stored: node scripts/soak-sandbox.ts --kills 100
import {once} from 'node:events'
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {type Sandbox, openSandbox} from '../src/sandbox/sandbox.ts'
import {type RunningServer, fundRoutes, print, readRows, runSoak, startServer, stopServer} from './soak.ts'

const clients = 6
const lifeMinMs = 150
const lifeSpreadMs = 450
const deliveryPatienceMs = 60_000
const pollMs = 100

interface Acknowledged {
  customers: string[]
  patches: string[]
  transactions: string[]
  unanswered: number
}

type Body = Record<string, unknown>

// Returns the reply, or undefined if the connection broke.
function ask({url, apiKey}: RunningServer, agent: http.Agent, method: string, at: string, body?: Body) {
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

// The body of a quote from the wallet of a seeded customer to its external wallet.
async function createQuoteBody(sandbox: Sandbox): Promise<Body> {
  const [route] = await fundRoutes(sandbox, 1)
  if (!route) throw new Error('the sandbox has no route')
  const {customer, from, to, chain} = route
  return {
    customerId: customer,
    source: {
      sourcePaymentAccountId: from,
      sourceCurrency: 'USDC',
      sourcePaymentMethod: chain,
      sourceAmount: '1',
    },
    destination: {
      destinationPaymentAccountId: to,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: chain,
    },
  }
}

// One client: sends writes one after the other and records the acknowledged ones until its server is killed.
async function write(server: RunningServer, route: Body, done: Acknowledged, onTransaction: () => void) {
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

const idsIn = (file: string, sql: string) => new Set(readRows(file, sql).map(({id}) => String(id)))

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

export async function soak(kills: number, say: (text: string) => void = () => {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-soak-'))
  const file = path.join(folder, 'sandbox.sqlite')
  const {received, server: events, url} = await receiver()
  const done: Acknowledged = {customers: [], patches: [], transactions: [], unanswered: 0}
  const prepared = openSandbox({file})
  prepared.webhooks.add({url})
  const route = await createQuoteBody(prepared)
  prepared.close()
  for (let count = 1; count <= kills; count++) {
    const server = await startServer(file)
    const {promise: written, resolve: onTransaction} = Promise.withResolvers<void>()
    const work = Array.from({length: clients}, () => write(server, route, done, onTransaction))
    const gone = once(server.process, 'close')
    // The first server lives until it has made a transaction, however slow the machine is.
    if (count === 1) await written
    setTimeout(() => server.process.kill('SIGKILL'), lifeMinMs + Math.random() * lifeSpreadMs)
    await Promise.all([...work, gone])
    if (count % 10 === 0)
      say(`${count} kills, ${done.customers.length} customers, ${done.transactions.length} transactions`)
  }
  // A last server delivers the remaining events.
  const last = await startServer(file)
  const unsent = () => missing('event', [...idsIn(file, 'select eventId as id from webhookEvents')], received)
  const deadline = performance.now() + deliveryPatienceMs
  let undelivered = unsent()
  while (performance.now() < deadline && undelivered.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    undelivered = unsent()
  }
  const code = await stopServer(last)
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
  await runSoak({kills: 100}, async ({kills}) => {
    const {lost: wrong, ...report} = await soak(kills, print)
    return {...report, wrong}
  })
}
