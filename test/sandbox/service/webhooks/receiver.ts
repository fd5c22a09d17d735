// For the tests of webhooks: a receiver on this machine, customers that change, and senders.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {DatabaseSync} from 'node:sqlite'
import {expect, onTestFinished, vi} from 'vitest'
import {type DeliverySettings, startDelivery} from '../../../../src/sandbox/service/webhooks/deliver.ts'
import {openDatabase} from '../../../../src/sandbox/store/database.ts'
import type {Sandbox} from '../../../../src/sandbox/sandbox.ts'
import {createCustomer, openTemporary, patchCustomer, temporaryFile} from '../../open.ts'

export interface Received {
  headers: Record<string, string>
  body: Buffer
}

export interface Receiver {
  url: string
  received: Received[]
  // Resolves when at least this many have arrived.
  has(count: number): Promise<void>
}

type Respond = (response: http.ServerResponse, count: number) => void

const waitMsMax = 120_000

export const respondOk: Respond = (response) => response.writeHead(204).end()
export const respondWith =
  (...codes: number[]): Respond =>
  (response, count) =>
    response.writeHead(codes[Math.min(count, codes.length) - 1] ?? 204).end()

export async function startReceiver(respond: Respond = respondOk): Promise<Receiver> {
  const received: Received[] = []
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({headers: request.headers as Record<string, string>, body: Buffer.concat(chunks)})
      respond(response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const {port} = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    has: (count) => vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), {timeout: waitMsMax}),
  }
}

export const waitUntil = (check: () => void) => vi.waitFor(check, {timeout: waitMsMax})

// A sandbox with an endpoint, and its file.
export async function openWithReceiver(respond?: Respond, more: {copies?: number} = {}) {
  const file = temporaryFile()
  const sandbox = openTemporary({file})
  const receiver = await startReceiver(respond)
  return {file, sandbox, receiver, endpoint: sandbox.webhooks.add({url: receiver.url, ...more})}
}

// A sender with its own database connection, as a running server has it.
export function startSender(file: string, settings: Partial<DeliverySettings> & {formsUrl?: string} = {}) {
  const {formsUrl = 'http://forms.test', ...overrides} = settings
  const database = openDatabase(file, () => {
    throw new Error('The sandbox should be there already')
  })
  const notices: string[] = []
  const delivery = startDelivery({database, formsUrl}, (text) => notices.push(text), {tickMs: 20, ...overrides})
  let stopped: Promise<void> | undefined
  const stopOnce = () => (stopped ??= delivery.stop().then(() => database.close()))
  onTestFinished(stopOnce)
  return {notices, stop: stopOnce}
}

// Changes the database directly.
export function executeSql(file: string, sql: string) {
  const database = new DatabaseSync(file, {timeout: waitMsMax})
  database.exec(sql)
  database.close()
}

let customers = 0

// One status change, from CREATED to UNDER_REVIEW: one event.
export async function changeCustomer(sandbox: Sandbox) {
  const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: `w${++customers}@example.com`})
  return patchCustomer(sandbox, customerId, {kycData: {legalFirstName: 'Ines', legalLastName: 'Vardø'}})
}

export const parseCustomerId = ({body}: Received) =>
  (JSON.parse(body.toString()) as {data: {customerId: string}}).data.customerId
