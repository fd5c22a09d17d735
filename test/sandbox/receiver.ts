// For the tests of webhooks: a receiver on this machine, customers that change, and senders.
import type http from 'node:http'
import {expect, onTestFinished, vi} from 'vitest'
import {type DeliverySettings, startDelivery} from '../../src/sandbox/service/webhooks/deliver.ts'
import {openDatabase} from '../../src/sandbox/store/database.ts'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import {type ReceivedRequest, serve} from '../support/service.ts'
import {createCustomer, openTemporary, patchCustomer, temporaryFile} from './open.ts'

type Respond = (response: http.ServerResponse, count: number) => void

export const waitUntil = (check: () => void) => vi.waitFor(check, {timeout: 120_000})

// The statuses one after the other, the last one for ever.
export const respondWith =
  (...codes: number[]): Respond =>
  (response, count) =>
    response.writeHead(codes[Math.min(count, codes.length) - 1] ?? 204).end()

export async function startReceiver(respond: Respond = respondWith(204)) {
  const {url, requests} = await serve((_, response, count) => respond(response, count))
  const received = requests as Array<ReceivedRequest & {headers: Record<string, string>}>
  return {
    url: `${url}/hook`,
    received,
    // Resolves when at least this many have arrived.
    has: (count: number) => waitUntil(() => expect(received.length).toBeGreaterThanOrEqual(count)),
    listCustomers: () => received.map(({body}) => (JSON.parse(body) as {data: {customerId: string}}).data.customerId),
    // One event, however often it arrived.
    expectOne: (eventId = received[0]?.headers['webhook-id']) => {
      expect(new Set(received.map(({headers}) => headers['webhook-id']))).toEqual(new Set([eventId]))
      expect(new Set(received.map(({body}) => body)).size).toBe(1)
    },
  }
}

// A sandbox with an endpoint, and its file.
export async function openWithReceiver(respond?: Respond, more: {copies?: number} = {}) {
  const file = temporaryFile()
  const sandbox = openTemporary({file})
  const receiver = await startReceiver(respond)
  const endpoint = sandbox.webhooks.add({url: receiver.url, ...more})
  return {file, sandbox, receiver, endpoint, deliveries: () => sandbox.webhooks.deliveries({limit: 100}).deliveries}
}

// A sender with its own database connection, as a running server has it.
export function startSender(file: string, settings: Partial<DeliverySettings> & {formsUrl?: string} = {}) {
  const {formsUrl = 'http://forms.test', ...overrides} = settings
  const database = openDatabase(file, () => expect.fail('the sandbox should be there already'))
  const notices: string[] = []
  const delivery = startDelivery({database, formsUrl}, (text) => notices.push(text), {tickMs: 20, ...overrides})
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= delivery.stop().then(() => database.close()))
  onTestFinished(stop)
  return {notices, stop}
}

// One status change, from CREATED to UNDER_REVIEW: one event.
export async function changeCustomer(sandbox: Sandbox) {
  const {customerId} = await createCustomer(sandbox)
  return patchCustomer(sandbox, customerId, {kycData: {legalFirstName: 'Ines', legalLastName: 'Vardø'}})
}

export async function changeCustomers(sandbox: Sandbox, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) ids.push((await changeCustomer(sandbox)).customerId)
  return ids
}
