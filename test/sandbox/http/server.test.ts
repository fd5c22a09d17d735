// The sandbox on a loopback port: which requests it accepts, how it handles bad ones, where it is found, and how it stops.
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import {promisify} from 'node:util'
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it, onTestFinished} from 'vitest'
import {soak} from '../../../scripts/soak-sandbox.ts'
import {endpoints} from '../../../src/contract/endpoints.ts'
import {errorBody} from '../../../src/contract/openapi.ts'
import {limits} from '../../../src/contract/vocabulary.ts'
import {challengeHeader, proofHeader} from '../../../src/sandbox/http/server-address.ts'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {waitForActedFaults} from '../../support/acted-faults.ts'
import {querySql, temporaryFile} from '../open.ts'
import {sendRawBytes, sendRequest, serveTemporary} from './serving.ts'

const person = {customerType: 'INDIVIDUAL', email: 'ines@example.com'}

function openUntilTestEnds(file: string) {
  const sandbox = openSandbox({file})
  onTestFinished(() => sandbox.close())
  return sandbox
}

describe('the service on a loopback port', () => {
  it('replies as in process, with links to forms at its own address, and to HEAD and OPTIONS', async () => {
    const served = await serveTemporary()
    const {status, headers, text} = await sendRequest(served, 'POST', '/customers', {body: person})
    expect({status, type: headers['content-type']}).toEqual({status: 200, type: 'application/json'})
    const customer = endpoints.customers.create.reply.parse(JSON.parse(text))
    expect(customer.verificationLink).toMatch(new RegExp(`^${served.url}/forms/verify/`))
    expect(openUntilTestEnds(served.file).status().customers.CREATED).toBe(5)
    const head = await sendRequest(served, 'HEAD', '/customers')
    expect(head).toMatchObject({status: 200, text: ''})
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100)
    const options = await sendRequest(served, 'OPTIONS', '/customers')
    expect(options).toMatchObject({status: 204, text: '', headers: {allow: 'POST, GET'}})
  })

  it('listens on the loopback interface only', async () => {
    const {port} = await serveTemporary()
    // Every address of 127.0.0.0/8 reaches a server that listens on all of them.
    const failed = await new Promise((resolve) =>
      net.connect(port, '127.0.0.2').on('error', resolve).on('connect', resolve),
    )
    expect(failed).toMatchObject({code: 'ECONNREFUSED'})
  })

  it('runs due tasks without any request', async () => {
    const served = await serveTemporary()
    const body = {...person, kycData: {legalFirstName: 'Ines'}}
    const {customerId} = JSON.parse((await sendRequest(served, 'POST', '/customers', {body})).text) as {
      customerId: string
    }
    // Read from the database directly, because a request would run due tasks first.
    const sql = `select customerStatus from customers where customerId = '${customerId}'`
    await expect.poll(() => querySql(served.file, sql)).toMatchObject([{customerStatus: 'UNDER_REVIEW'}])
  })
})

describe('a request', () => {
  const foreignHosts = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'evil-localhost',
  ]
  const foreignOrigins = ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://']

  it('of another host or origin is rejected whatever its credential, also for the OpenAPI document', async () => {
    const served = await serveTemporary()
    const wrong = [
      ...foreignHosts.map((host) => ({host: `${host}:${served.port}`})),
      ...foreignOrigins.map((origin) => ({origin})),
    ]
    for (const headers of wrong) {
      for (const at of ['/customers', '/openapi.json']) {
        const {status, text} = await sendRequest(served, 'POST', at, {body: person, headers})
        expect([headers, status]).toEqual([headers, 403])
        expect(errorBody.strict().parse(JSON.parse(text)).error).toBe('FORBIDDEN')
      }
    }
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST', 'shop.localhost']) {
      const headers = {host: `${host}:${served.port}`, origin: `http://${host}:3000`}
      expect(await sendRequest(served, 'GET', '/customers', {headers})).toMatchObject({status: 200})
      expect(await sendRequest(served, 'GET', '/customers', {headers: {host}})).toMatchObject({status: 200})
    }
  })

  it.each([
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    '\u0016\u0003\u0001\u0000\u0000',
    'GET /x HTTP/1.1\r\nhost : a\r\n\r\n',
    ...['*', 'http://localhost/customers', '//', '/%', '/customers/%FF'].map(
      (target) => `GET ${target} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer KEY\r\nconnection: close\r\n\r\n`,
    ),
  ])('that is malformed is answered with 400 or 404, and the server keeps running: %j', async (bytes) => {
    const served = await serveTemporary()
    expect(await sendRawBytes(served.port, bytes.replace('KEY', served.apiKey))).toMatch(/^HTTP\/1\.1 40[04] /)
    expect(await sendRequest(served, 'GET', '/customers')).toMatchObject({status: 200})
  })

  it('that ends in the middle does no harm', async () => {
    const served = await serveTemporary()
    const head = `POST /customers HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${served.apiKey}\r\n`
    for (const bytes of [head, `${head}content-length: 900\r\n\r\n{"customerType":`]) {
      const socket = net.connect(served.port, '127.0.0.1')
      socket.write(bytes)
      await sleep(50)
      socket.resetAndDestroy()
    }
    await sleep(50)
    const {text} = await sendRequest(served, 'GET', '/customers?pageSize=100')
    expect((JSON.parse(text) as {customers: unknown[]}).customers).toHaveLength(24)
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

  it('that is too large is rejected by its declared length without reading it, else when the limit is reached', async () => {
    const {url, apiKey} = await serveTemporary()
    const authorization = `Bearer ${apiKey}`
    const declared = await flood(url, {authorization, 'content-length': String(4 * limits.requestBytesMax)})
    expect(declared.status).toBe(413)
    expect(declared.grown).toBeLessThan(limits.requestBytesMax / 2)
    expect(await flood(url, {authorization, 'transfer-encoding': 'chunked'})).toMatchObject({status: 413})
  })
})

describe('a server', () => {
  it('that stops answers open requests, accepts no new ones, and closes connections that hang', async () => {
    const served = await serveTemporary()
    const {faults} = openUntilTestEnds(served.file)
    faults.add({method: 'GET', path: '/customers', kind: 'delay', delayMs: 400, times: 1})
    faults.add({method: 'GET', path: '/transactions', kind: 'hang'})
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

  it('that is killed under load has lost no acknowledged write, no event and no balance', async () => {
    const {wrong, unanswered, ...written} = await soak(5)
    expect(wrong).toEqual([])
    for (const count of [unanswered, written.customers, written.patches, written.transactions, written.events])
      expect(count).toBeGreaterThan(0)
  })

  it('stops, although its folder was removed while it ran', async () => {
    const served = await serveTemporary()
    fs.rmSync(path.dirname(served.file), {recursive: true})
    await served.stop()
    await expect(fetch(served.url)).rejects.toThrow('fetch failed')
  })

  it('is not looked for at another address, nor confused with the server of another or of a copied database', async () => {
    const other = await serveTemporary()
    const file = temporaryFile()
    const sandbox = openUntilTestEnds(file)
    const writeAddress = (url: string) => `${url}\n${'t'.repeat(32)}\n${file}.server\n`
    const addresses = ['http://127.0.0.1:1', 'https://example.com', 'nonsense', '', other.url].map(writeAddress)
    for (const text of [...addresses, fs.readFileSync(`${other.file}.server`, 'utf8')]) {
      fs.writeFileSync(`${file}.server`, text)
      expect(await sandbox.findServer()).toBeUndefined()
    }
  })

  // What another program may answer at the address of a server that was killed.
  const programs: Record<string, http.RequestListener> = {
    'a page for every path': (_, response) => response.writeHead(200, {'content-type': 'text/html'}).end('<p>Hello'),
    'everything that it is sent': ({headers}, response) => {
      const own = Object.entries(headers).filter(([name]) => name.startsWith('svc-') || name === 'authorization')
      response.writeHead(200, Object.fromEntries(own)).end(JSON.stringify(headers))
    },
    'the challenge as its proof': ({headers}, response) =>
      response.writeHead(200, {[proofHeader]: String(headers[challengeHeader])}).end('{}'),
    'a refusal': (_, response) => response.writeHead(401).end('{}'),
    'a page without an end': (_, response) => void response.writeHead(200).write('<p>'),
    'a redirect to itself': ({url}, response) => response.writeHead(302, {location: `${url}/`}).end(),
  }

  it.each(Object.entries(programs))(
    'is not taken for a program that answers %s, which learns no token',
    async (_, answer) => {
      const served = await serveTemporary()
      const file = temporaryFile()
      const sandbox = openUntilTestEnds(file)
      const seen: string[] = []
      const program = http.createServer((request, response) => {
        seen.push(JSON.stringify([request.url, request.rawHeaders]))
        answer(request, response)
      })
      await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => program.closeAllConnections())
      onTestFinished(() => void program.close())
      const url = `http://127.0.0.1:${(program.address() as net.AddressInfo).port}`
      const {controlToken} = served.control
      fs.writeFileSync(`${file}.server`, `${url}\n${controlToken}\n${file}.server\n`)
      expect(await sandbox.findServer()).toBeUndefined()
      // A connection that stays open would keep the command from ending.
      await expect.poll(() => promisify(program.getConnections.bind(program))(), {timeout: 3_000}).toBe(0)
      expect(seen.length).toBeGreaterThan(0)
      expect(seen.filter((text) => text.includes(controlToken))).toEqual([])
      // A server with the same token at another address signs for its own.
      fs.writeFileSync(`${file}.server`, `${served.url}\n${controlToken}\n${file}.server\n`)
      expect(await sandbox.findServer()).toMatchObject({url: served.url})
    },
  )
})
