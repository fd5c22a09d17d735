// The fake service behind an HTTP server, for commands of svc.
import type http from 'node:http'
import {setTimeout as wait} from 'node:timers/promises'
import type {Behaviour} from './scripted/behaviour.ts'
import {FakeService} from './scripted/fake-service.ts'
import {type ReceivedRequest, type Service, reply, serve} from './service.ts'

export {refusal} from './scripted/behaviour.ts'
export {differences} from './scripted/differences.ts'
export type {Answer} from './scripted/fake-service.ts'

export interface PaymentService extends FakeService, Service {
  // Requests to a method and path, as in 'POST /transactions'.
  requestsTo: (at: string) => ReceivedRequest[]
  // Requests that were answered with a refusal.
  refused: ReceivedRequest[]
  // Called first for each request. Returns true if it has sent the reply itself.
  intercept: (asked: ReceivedRequest, response: http.ServerResponse) => boolean
}

async function answer(fake: PaymentService, request: ReceivedRequest, response: http.ServerResponse): Promise<void> {
  response.sendDate = false
  const {status, text, headers, breaks, delayMs} = await fake.handle(request)
  const waitMs = delayMs + fake.behaviour.latencyMs
  if (waitMs > 0) await wait(waitMs)
  if (breaks === 'lost') return
  if (breaks === 'reset') return void response.socket?.resetAndDestroy()
  if (breaks === 'truncated') {
    response.writeHead(status, {...headers, 'content-type': 'application/json', 'content-length': text.length})
    return void response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
  }
  if (status >= 400 && status < 500) fake.refused.push(request)
  reply(response, status, text, headers)
}

export async function servePayments(
  changes: Partial<Behaviour> = {},
  whenDone?: Parameters<typeof serve>[1],
): Promise<PaymentService> {
  return serveFake(new FakeService(changes), whenDone)
}

export async function serveFake(fake: FakeService, whenDone?: Parameters<typeof serve>[1]): Promise<PaymentService> {
  const base = await serve((request, response) => {
    if (!service.intercept(request, response)) void answer(service, request, response)
  }, whenDone)
  const service: PaymentService = Object.assign(fake, base, {
    requestsTo: (at: string) => base.requests.filter(({method, path}) => `${method} ${path}` === at),
    refused: [],
    intercept: () => false,
  })
  return service
}

// A second transaction of the first payment, as a service that ignores keys makes it.
export async function makeTwice({url, transactionsByKey}: PaymentService): Promise<void> {
  const [key, [made]] = [...transactionsByKey][0] ?? ['', []]
  const {quoteId, correlationId} = made as Record<string, string>
  const headers = {authorization: 'Bearer test-key', 'x-idempotency-key': key}
  await fetch(`${url}/transactions`, {method: 'POST', headers, body: JSON.stringify({quoteId, correlationId})})
}
