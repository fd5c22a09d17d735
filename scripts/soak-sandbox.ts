// Kills a sandbox server many times while clients write to it, then checks that everything it acknowledged
// is stored: node scripts/soak-sandbox.ts --kills 100
import {once} from 'node:events'
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {openSandbox} from '../src/sandbox/sandbox.ts'
import {
  type Route,
  type Server,
  fundRoutes,
  sandboxCommand,
  startServer,
  stopServer,
  toQuoteBody,
} from './sandbox-server.ts'
import {print, readRows, runSoak} from './soak.ts'

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
async function ask({url, apiKey}: Server, method: string, at: string, body: object): Promise<Body | undefined> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    ...(at === '/transactions' && {'x-idempotency-key': randomUUID()}),
  }
  const reply = await fetch(url + at, {method, headers, body: JSON.stringify(body)}).catch(() => undefined)
  const text = await reply?.text().catch(() => undefined)
  if (reply === undefined || text === undefined) return undefined
  if (!reply.ok) throw new Error(`${method} ${at} was answered ${reply.status}: ${text}`)
  return JSON.parse(text) as Body
}

// One client: sends writes one after the other and records the acknowledged ones until its server is killed.
async function write(server: Server, quoteBody: object, done: Acknowledged, onTransaction: () => void) {
  for (;;) {
    const email = `${randomUUID()}@example.com`
    const customer = await ask(server, 'POST', '/customers', {customerType: 'INDIVIDUAL', email})
    if (!customer) break
    const customerId = String(customer['customerId'])
    done.customers.push(customerId)
    const kycData = {legalFirstName: 'Ines', legalLastName: 'Vardø'}
    if (!(await ask(server, 'PATCH', `/customers/${customerId}`, {kycData}))) break
    done.patches.push(customerId)
    const quote = await ask(server, 'POST', '/quotes', quoteBody)
    if (!quote) break
    const transaction = await ask(server, 'POST', '/transactions', {quoteId: quote['quoteId']})
    if (!transaction) break
    done.transactions.push(String(transaction['transactionId']))
    onTransaction()
  }
  done.unanswered++
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
  const [route] = await fundRoutes(prepared, 1)
  const quoteBody = toQuoteBody(route as Route, '1')
  prepared.close()
  for (let count = 1; count <= kills; count++) {
    const server = await startServer(sandboxCommand(file))
    const {promise: written, resolve: onTransaction} = Promise.withResolvers<void>()
    const work = Array.from({length: clients}, () => write(server, quoteBody, done, onTransaction))
    const gone = once(server.process, 'close')
    // The first server lives until it has made a transaction, however slow the machine is.
    if (count === 1) await written
    setTimeout(() => server.process.kill('SIGKILL'), lifeMinMs + Math.random() * lifeSpreadMs)
    await Promise.all([...work, gone])
    if (count % 10 === 0)
      say(`${count} kills, ${done.customers.length} customers, ${done.transactions.length} transactions`)
  }
  // A last server delivers the remaining events.
  const last = await startServer(sandboxCommand(file))
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
  fs.rmSync(folder, {recursive: true, force: true})
  return {
    kills,
    customers: done.customers.length,
    patches: done.patches.length,
    transactions: done.transactions.length,
    unanswered: done.unanswered,
    events: received.size,
    wrong: lost,
  }
}

if (import.meta.main) await runSoak({kills: 100}, ({kills}) => soak(kills, print))
