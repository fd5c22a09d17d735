// The sandbox on a loopback port: which requests it accepts, how it handles bad ones, and that its clock runs by itself.
import http from 'node:http'
import net from 'node:net'
import {DatabaseSync} from 'node:sqlite'
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it, onTestFinished} from 'vitest'
import {endpoints} from '../../../src/contract/endpoints.ts'
import {errorBody} from '../../../src/contract/openapi.ts'
import {limits} from '../../../src/contract/vocabulary.ts'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {waitForActedFaults} from '../../support/acted-faults.ts'
import {sendRequest, serveTemporary, sendRawBytes} from './serving.ts'

const person = {customerType: 'INDIVIDUAL', email: 'ines@example.com'}

describe('the service on a loopback port', () => {
  it('replies as in process, with links to forms at its own address', async () => {
    const served = await serveTemporary()
    const {status, headers, text} = await sendRequest(served, 'POST', '/customers', {body: person})
    expect({status, type: headers['content-type']}).toEqual({status: 200, type: 'application/json'})
    const customer = endpoints.customers.create.reply.parse(JSON.parse(text))
    expect(customer.verificationLink).toMatch(new RegExp(`^${served.url}/forms/verify/`))
    const again = openSandbox({file: served.file})
    const counts = again.status().customers
    again.close()
    expect(counts.CREATED).toBe(5)
  })

  it('listens on the loopback interface only', async () => {
    const {port} = await serveTemporary()
    // Every address of 127.0.0.0/8 reaches a server that listens on all of them.
    const failed = await new Promise((resolve) =>
      net.connect(port, '127.0.0.2').on('error', resolve).on('connect', resolve),
    )
    expect(failed).toMatchObject({code: 'ECONNREFUSED'})
  })

  it('answers HEAD without a body and OPTIONS with the allowed methods', async () => {
    const served = await serveTemporary()
    const head = await sendRequest(served, 'HEAD', '/customers')
    expect(head).toMatchObject({status: 200, text: ''})
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100)
    const options = await sendRequest(served, 'OPTIONS', '/customers')
    expect(options).toMatchObject({status: 204, text: '', headers: {allow: 'POST, GET'}})
  })

  it('runs due tasks without any request', async () => {
    const served = await serveTemporary()
    const {text} = await sendRequest(served, 'POST', '/customers', {
      body: {...person, kycData: {legalFirstName: 'Ines'}},
    })
    const {customerId, customerStatus} = JSON.parse(text) as Record<string, string>
    expect(customerStatus).toBe('CREATED')
    // Read from the database directly, because a request would run due tasks first.
    const database = new DatabaseSync(served.file, {readOnly: true, timeout: 60_000})
    onTestFinished(() => database.close())
    const select = database.prepare('select customerStatus from customers where customerId = ?')
    await expect.poll(() => select.get(customerId ?? '')).toMatchObject({customerStatus: 'UNDER_REVIEW'})
    await served.stop()
  })
})

describe('a foreign request', () => {
  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '169.254.169.254',
    'evil-localhost',
  ])('with the host name %s is rejected, whatever its credential', async (host) => {
    const served = await serveTemporary()
    const {status, text} = await sendRequest(served, 'GET', '/customers', {headers: {host: `${host}:${served.port}`}})
    expect(status).toBe(403)
    expect(errorBody.strict().parse(JSON.parse(text))).toMatchObject({error: 'FORBIDDEN', statusCode: 403})
  })

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'from a page of %s is rejected, also for the OpenAPI document',
    async (origin) => {
      const served = await serveTemporary()
      for (const path of ['/customers', '/openapi.json']) {
        const {status, text} = await sendRequest(served, 'POST', path, {body: person, headers: {origin}})
        expect(status).toBe(403)
        expect(errorBody.strict().parse(JSON.parse(text)).error).toBe('FORBIDDEN')
      }
    },
  )

  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST', 'shop.localhost'])(
    'is not one with the host name %s',
    async (host) => {
      const served = await serveTemporary()
      const headers = {host: `${host}:${served.port}`, origin: `http://${host}:3000`}
      expect(await sendRequest(served, 'GET', '/customers', {headers})).toMatchObject({status: 200})
      expect(await sendRequest(served, 'GET', '/customers', {headers: {host}})).toMatchObject({status: 200})
    },
  )
})

describe('a request that is too large', () => {
  const tooLargePattern = /^HTTP\/1\.1 413 [\s\S]*PAYLOAD_TOO_LARGE/

  it('is rejected before its body is sent, if the client sent "Expect: 100-continue"', async () => {
    const {port, apiKey} = await serveTemporary()
    const head = ['POST /customers HTTP/1.1', 'host: localhost', `authorization: Bearer ${apiKey}`, 'connection: close']
    const length = `content-length: ${limits.requestBytesMax + 1}`
    const received = await sendRawBytes(port, [...head, length, 'expect: 100-continue', '', ''].join('\r\n'))
    expect(received).toMatch(tooLargePattern)
    expect(received).not.toContain('100 Continue')
  })

  // Sends as long as the server reads, and returns the response and how much memory it took.
  function flood(url: string, headers: Record<string, string>) {
    const before = process.memoryUsage().rss
    let most = 0
    return new Promise<{status: number | undefined; grown: number}>((resolve, reject) => {
      const request = http.request(`${url}/customers`, {method: 'POST', headers})
      const chunk = Buffer.alloc(1024 * 1024)
      const pump = () => {
        most = Math.max(most, process.memoryUsage().rss)
        if (!request.destroyed) request.write(chunk, () => setImmediate(pump))
      }
      request.on('response', ({statusCode}) => {
        resolve({status: statusCode, grown: most - before})
        request.destroy()
      })
      request.on('error', reject)
      pump()
    })
  }

  it('by its declared length is rejected without reading its body into memory', async () => {
    const {url, apiKey} = await serveTemporary()
    const length = String(4 * limits.requestBytesMax)
    const {status, grown} = await flood(url, {authorization: `Bearer ${apiKey}`, 'content-length': length})
    expect(status).toBe(413)
    expect(grown).toBeLessThan(limits.requestBytesMax / 2)
  })

  it('without a declared length is rejected when the limit is reached', async () => {
    const {url, apiKey} = await serveTemporary()
    const {status} = await flood(url, {authorization: `Bearer ${apiKey}`, 'transfer-encoding': 'chunked'})
    expect(status).toBe(413)
  })
})

describe('a malformed request', () => {
  it.each([
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    '\u0016\u0003\u0001\u0000\u0000',
    'GET /x HTTP/1.1\r\nhost : a\r\n\r\n',
  ])('gets an error in the usual format, and the server keeps running: %j', async (bytes) => {
    const served = await serveTemporary()
    const received = await sendRawBytes(served.port, bytes)
    expect(received).toMatch(/^HTTP\/1\.1 400 /)
    expect(errorBody.parse(JSON.parse(received.split('\r\n\r\n')[1] ?? ''))).toMatchObject({error: 'BAD_REQUEST'})
    expect(await sendRequest(served, 'GET', '/customers')).toMatchObject({status: 200})
  })

  it.each(['*', 'http://localhost/customers', '//', '/%', '/customers/%FF'])(
    'with the target %s does no harm',
    async (target) => {
      const served = await serveTemporary()
      const lines = [
        `GET ${target} HTTP/1.1`,
        'host: localhost',
        `authorization: Bearer ${served.apiKey}`,
        'connection: close',
      ]
      expect(await sendRawBytes(served.port, [...lines, '', ''].join('\r\n'))).toMatch(/^HTTP\/1\.1 40[04] /)
      expect(await sendRequest(served, 'GET', '/customers')).toMatchObject({status: 200})
    },
  )

  it('that ends in the middle does no harm', async () => {
    const served = await serveTemporary()
    for (const bytes of ['POST /customers HTTP/1.1\r\nhost: localhost\r\n', '{"customerType":']) {
      const socket = net.connect(served.port, '127.0.0.1')
      const head = `POST /customers HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${served.apiKey}\r\ncontent-length: 900\r\n\r\n`
      socket.write(bytes.startsWith('POST') ? bytes : head + bytes)
      await sleep(50)
      socket.resetAndDestroy()
    }
    await sleep(50)
    const {text} = await sendRequest(served, 'GET', '/customers?pageSize=100')
    expect((JSON.parse(text) as {customers: unknown[]}).customers).toHaveLength(24)
  })
})

describe('a server that stops', () => {
  it('answers open requests, accepts no new ones, and closes connections that hang', async () => {
    const served = await serveTemporary()
    const sandbox = openSandbox({file: served.file})
    sandbox.faults.add({method: 'GET', path: '/customers', kind: 'delay', delayMs: 400, times: 1})
    sandbox.faults.add({method: 'GET', path: '/transactions', kind: 'hang'})
    sandbox.close()
    const slow = sendRequest(served, 'GET', '/customers')
    const hung = sendRequest(served, 'GET', '/transactions')
    hung.catch(() => {})
    await waitForActedFaults(served.file, 2)
    const stopped = served.stop()
    await expect(hung).rejects.toMatchObject({code: 'ECONNRESET'})
    await expect(sendRequest(served, 'GET', '/customers')).rejects.toMatchObject({code: 'ECONNREFUSED'})
    expect(await slow).toMatchObject({status: 200})
    await stopped
  })
})
