// A service that closes the connection after each reply without saying so, which HTTP allows. A write that went onto the closed
// connection would fail as one that may have happened.
import type http from 'node:http'
import {describe, expect, it} from 'vitest'
import {payment} from '../support/payments.ts'
import {servePayments} from '../support/scripted-service.ts'
import {freshHome, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {createTestClient, serveRaw} from './raw-service.ts'

useVirtualTime()

// The service is in this process, so it closes the connection before svc reads the reply.
function closeAfterReply(response: http.ServerResponse): void {
  const {socket} = response
  response.once('finish', () => socket?.destroy())
}

async function servePaymentsAndClose() {
  const service = await servePayments()
  service.intercept = (_, response) => {
    closeAfterReply(response)
    return false
  }
  return service
}

describe('a write after another request, if the service closes each connection without saying so', () => {
  it.each(['POST', 'PATCH', 'PUT', 'DELETE'])('is sent on a new connection (%s)', async (method) => {
    const service = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
    const client = createTestClient(service.url)
    for (let count = 1; count <= 5; count++) {
      await client.raw({method: 'GET', path: '/x'})
      expect((await client.raw({method, path: '/x'})).body).toEqual({})
    }
    expect(service.requests.filter((head) => head.startsWith(method))).toHaveLength(5)
  })

  it('pays', async () => {
    const [home, service] = [freshHome(), await servePaymentsAndClose()]
    for (const key of ['a', 'b', 'c']) {
      expect(await run(home, [...payment(key, '10'), '--yes', '--quiet'], service)).toEqual({code: 0, out: '', err: ''})
    }
    expect(service.requestsTo('POST /transactions')).toHaveLength(3)
  })
})

describe('a read that is not retried', () => {
  it('is sent on a new connection, too', async () => {
    const service = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
    const client = createTestClient(service.url, {retriesReads: false})
    for (let count = 1; count <= 5; count++) await client.raw({method: 'GET', path: '/x'})
    expect(service.requests).toHaveLength(5)
  })
})
