// A service that closes the connection after each reply without saying so, which HTTP allows. A write that went onto the closed
// connection would fail as one that may have happened.
import type http from 'node:http'
import {describe, expect, it} from 'vitest'
import {createRow, readStates, writePayroll} from '../commands/payouts/payroll.ts'
import {answered, configuration} from '../rules/rule-service.ts'
import {payment} from '../support/payments.ts'
import {servePayments} from '../support/scripted-service.ts'
import {type ReceivedRequest, customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {createTestClient, serveRaw} from './raw-service.ts'

useVirtualTime()

// The service is in this process, so it closes the connection before svc reads the reply.
function closeAfterReply(response: http.ServerResponse): void {
  const {socket} = response
  response.once('finish', () => socket?.destroy())
}

const serveAndClose = (answer: (asked: ReceivedRequest) => unknown) =>
  serve((asked, response) => {
    closeAfterReply(response)
    reply(response, 200, answer(asked))
  })

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

  it('pays every row of a payout file', async () => {
    const [home, service] = [freshHome(), await servePaymentsAndClose()]
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    const file = writePayroll(
      home,
      keys.map((key, index) => createRow(key, {amount: `${index + 2}`})),
    )
    expect(await run(home, ['payouts', 'run', file, '--yes', '--concurrency', '2'], service)).toMatchObject({code: 0})
    expect(readStates(home)).toEqual(keys.map(() => 'CREATED'))
    expect(service.requestsTo('POST /transactions')).toHaveLength(keys.length)
  })

  it('updates a customer', async () => {
    const service = await serveAndClose(() => customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'}))
    const change = ['--set', 'kycData.phoneNumber=+15551234567']
    expect(await run(freshHome(), ['customers', 'update', customerId(1), ...change], service)).toMatchObject({code: 0})
    expect(service.requests.map(({method}) => method)).toEqual(['GET', 'PATCH'])
  })

  it('creates a rule', async () => {
    const service = await serveAndClose(({method}) => (method === 'GET' ? {automationRules: []} : answered('rule-1')))
    const input = JSON.stringify(configuration())
    const ended = await run(freshHome(), ['rules', 'create', '--file', '-', '--yes'], {env: service.env, input})
    expect(ended).toMatchObject({code: 0})
    expect(service.requests.map(({method}) => method)).toContain('POST')
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
