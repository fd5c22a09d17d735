// Kills a sandbox server many times while clients write to it, and with it a process that moves its
// clock, then checks that everything it acknowledged is stored, and that what fell due was done
// once: node scripts/soak-sandbox.ts --kills 100
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {type Sandbox, openSandbox} from '../src/sandbox/sandbox.ts'
import {minuteMs} from '../src/values/time.ts'
import {
  type Route,
  type Server,
  bin,
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
// Firings that fall due in real time between a kill and the look at what it left.
const leftMax = 2

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

// A rule that fires every minute, so that there is something to be done at every moment over which
// the clock moves.
async function createRule({apiKey, ...sandbox}: Sandbox, {customerId, source, destination}: Route) {
  const transactionTemplate = {source, destination, amount: {type: 'FLAT', value: '1'}}
  const trigger = {type: 'TIME_BASED', cronSchedule: '* * * * *'}
  const body = JSON.stringify({name: 'Every minute', customerId, transactionTemplate, trigger})
  const headers = {authorization: `Bearer ${apiKey}`, 'content-type': 'application/json'}
  const reply = await sandbox.fetch(new Request('http://localhost/automation-rules', {method: 'POST', headers, body}))
  if (!reply.ok) throw new Error(`The rule was answered ${reply.status}: ${await reply.text()}`)
}

const readFirings = (file: string) => Number(readRows(file, 'select sum(firedCount) as count from rules')[0]?.['count'])

// Returns the process that moves the clock, after it has begun to.
async function startMove(file: string): Promise<ChildProcess> {
  const fired = readFirings(file)
  const env = {...process.env, SVC_SANDBOX_FILE: file}
  const mover = spawn(process.execPath, [bin, 'sandbox', 'clock', 'advance', '7d', '--quiet'], {stdio: 'inherit', env})
  while (readFirings(file) === fired) await sleep(pollMs)
  return mover
}

// What the killed process left: the clock stands where its tasks do, and the rule has fired once a
// minute, and paid each time.
function checkClock(file: string): string[] {
  const fired = readFirings(file)
  const opened = openSandbox({file})
  const now = Date.parse(opened.status().clock.now)
  opened.close()
  const [rule = {}] = readRows(
    file,
    `select ruleId, firedCount, createdAt, (select count(*) from transactions
      where json_extract(reply, '$.correlationId') = ruleId) as paid from rules`,
  )
  const due = Math.floor(now / minuteMs) - Math.floor(Number(rule['createdAt']) / minuteMs)
  const left = Number(rule['firedCount']) - fired
  const isRight = rule['firedCount'] === due && rule['paid'] === due && left <= leftMax
  return isRight ? [] : [`at ${new Date(now).toISOString()}, ${due} were due: ${JSON.stringify({...rule, left})}`]
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
  // The clock moves between a quote and its transaction.
  prepared.faults.setBehaviours({expiredQuotes: 'accepted'})
  await createRule(prepared, route as Route)
  prepared.close()
  const wrong: string[] = []
  for (let count = 1; count <= kills; count++) {
    const server = await startServer(sandboxCommand(file))
    const {promise: written, resolve: onTransaction} = Promise.withResolvers<void>()
    const work = Array.from({length: clients}, () => write(server, quoteBody, done, onTransaction))
    const gone = once(server.process, 'close')
    // The first server lives until it has made a transaction, however slow the machine is.
    if (count === 1) await written
    // Few clients are served while the clock moves, so it stands still in every other life.
    const mover = count % 2 === 1 ? await startMove(file) : undefined
    await sleep(lifeMinMs + Math.random() * lifeSpreadMs)
    for (const each of [server.process, mover]) each?.kill('SIGKILL')
    await Promise.all([...work, gone])
    wrong.push(...checkClock(file))
    if (count % 10 === 0)
      say(`${count} kills, ${done.customers.length} customers, ${done.transactions.length} transactions`)
  }
  // A last server delivers the remaining events.
  const last = await startServer(sandboxCommand(file))
  const unsent = () => missing('event', [...idsIn(file, 'select eventId as id from webhookEvents')], received)
  const deadline = performance.now() + deliveryPatienceMs
  let undelivered = unsent()
  while (performance.now() < deadline && undelivered.length > 0) {
    await sleep(pollMs)
    undelivered = unsent()
  }
  const code = await stopServer(last)
  events.closeAllConnections()
  events.close()
  wrong.push(
    ...missing('customer', done.customers, idsIn(file, 'select customerId as id from customers')),
    ...missing('patch of', done.patches, idsIn(file, 'select customerId as id from customers where reviewCount > 0')),
    ...missing('transaction', done.transactions, idsIn(file, 'select transactionId as id from transactions')),
    ...missing('event about', done.patches, idsIn(file, 'select customerId as id from webhookEvents')),
    ...undelivered,
    ...verify(file),
    ...checkClock(file),
    ...(code === 0 ? [] : [`the last server ended with ${String(code)}`]),
  )
  const fired = readFirings(file)
  fs.rmSync(folder, {recursive: true, force: true})
  return {
    kills,
    customers: done.customers.length,
    patches: done.patches.length,
    transactions: done.transactions.length,
    unanswered: done.unanswered,
    fired,
    events: received.size,
    wrong,
  }
}

if (import.meta.main) await runSoak({kills: 100}, ({kills}) => soak(kills, print))
