// An HTTP server on a loopback port whose replies are written by the test, for replies that the sandbox never gives.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'

export interface ReceivedRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: http.IncomingHttpHeaders
  body: string
}

type Responder = (asked: ReceivedRequest, response: http.ServerResponse, count: number) => void

export interface Service {
  url: string
  port: number
  requests: ReceivedRequest[]
  // The environment variables with which svc calls this service.
  env: Record<string, string>
}

// Until the test ends, or until what `whenDone` was given is called.
export async function serve(
  answer: Responder,
  whenDone: (close: () => void) => void = onTestFinished,
  atPort = 0,
): Promise<Service> {
  const asked: ReceivedRequest[] = []
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const one: ReceivedRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      asked.push(one)
      answer(one, response, asked.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(atPort, '127.0.0.1', resolve))
  whenDone(() => {
    server.closeAllConnections()
    server.close()
  })
  const {port} = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {url, port, requests: asked, env: {SVC_BASE_URL: url, SVC_API_KEY: 'test-key'}}
}

// A service that has no customers yet, and answers everything else with this one.
export const serveFirstCustomer = (made: () => object): Promise<Service> =>
  serve(({method, path}, response) =>
    reply(response, 200, method === 'GET' && path === '/customers' ? {customers: [], nextPageToken: ''} : made()),
  )

export function reply(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {},
) {
  response.writeHead(status, {'content-type': 'application/json', ...headers})
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const customerId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

// An invented customer in the format of the contract.
export const customer = (number: number, more: Record<string, unknown> = {}) => ({
  customerId: customerId(number),
  customerStatus: 'ACTIVE',
  customerType: 'INDIVIDUAL',
  name: `Customer ${number}`,
  email: `customer${number}@example.com`,
  updatedAt: '2026-11-01T12:00:00Z',
  organizationId: '11111111-1111-1111-1111-111111111111',
  ...more,
})
