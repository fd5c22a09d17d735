// Attacks on what svc serves on this machine, as one table: the consoles, the page for a yes, the receiver of webhooks, and the
// metrics of a worker.
import http from 'node:http'
import net from 'node:net'
import {text} from 'node:stream/consumers'
import {Webhook} from 'standardwebhooks'
import {describe, expect, it, onTestFinished} from 'vitest'
import {createProfileSource} from '../../../src/console/sources.ts'
import {startConsoleServer} from '../../../src/console/server.ts'
import {startReceiver} from '../../../src/events/receiver.ts'
import {recordEvent} from '../../../src/events/record.ts'
import {WebhookSecrets} from '../../../src/events/signature.ts'
import {openEventStore} from '../../../src/events/store.ts'
import {startMetricsServer} from '../../../src/fleet/metrics.ts'
import {askPerson} from '../../../src/mcp/ask-person.ts'
import {serveLocal} from '../../../src/web/serve.ts'
import {createTestClient} from '../../client/raw-service.ts'
import {type HttpReply, sendHttp, serveTemporary} from '../../sandbox/http/serving.ts'
import {enterPage, noJournal} from '../../support/entrance.ts'
import {servePayments} from '../../support/scripted-service.ts'

const send = (url: string, headers: Record<string, string>, method = 'GET', body = '') =>
  sendHttp(url, method, {headers, body})

// Whoever opens connections and sends nothing more on them.
async function sendSlowly(url: string, count = 600): Promise<void> {
  const sockets = await Promise.all(
    Array.from({length: count}, async () => {
      const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
      socket.on('error', () => {})
      await new Promise((resolve) => socket.once('connect', () => socket.write('POST / HTTP/1.1\r\n', resolve)))
      return socket
    }),
  )
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
}

const question = {
  box: {title: 'Pay', isLive: false, groups: []},
  lifeMs: 60_000,
  quotation: 'rent',
  profile: 'acme',
}

// Each starts a server, and returns a link that nobody has used.
const pages: Record<string, () => Promise<string>> = {
  'the console of a profile': async () => {
    const service = await servePayments()
    const source = createProfileSource({
      client: createTestClient(service.url),
      organization: undefined,
      title: 'Profile acme',
      note: '',
      journal: noJournal,
      events: undefined,
    })
    const server = await startConsoleServer({source, port: 0, onFault: () => {}})
    onTestFinished(() => server.stop())
    return server.createLink()
  },
  'the console of the sandbox': async () => (await serveTemporary()).consoleUrl,
  'the page for a yes': () =>
    new Promise((announce) => {
      const session = new AbortController()
      onTestFinished(() => session.abort())
      void askPerson(question, {announce, signal: session.signal})
    }),
}

type Entered = Record<'url' | 'cookie' | 'link' | 'origin', string>

const attacks: Record<string, (entered: Entered) => Promise<HttpReply>> = {
  'no cookie': ({url}) => send(url, {accept: 'text/html'}),
  'a cookie of nobody': ({url, cookie}) => send(url, {cookie: `${cookie}x`, accept: 'text/html'}),
  'an empty cookie': ({url}) => send(url, {cookie: 'svc-page=', accept: 'text/html'}),
  'a cookie of another name': ({url, cookie}) =>
    send(url, {cookie: cookie.replace('svc-page', 'other'), accept: 'text/html'}),
  'the root': ({origin, cookie}) => send(`${origin}/`, {cookie, accept: 'text/html'}),
  'another host name': ({url, cookie}) => send(url, {cookie, host: 'evil.example', accept: 'text/html'}),
  'another host name at the port': ({url, cookie}) =>
    send(url, {cookie, host: `evil.example:${new URL(url).port}`, accept: 'text/html'}),
  'a second use of the link': ({link}) => send(link, {accept: 'text/html'}),
  'a guessed link': ({link}) => send(link.replace(/[^/]+$/, 'A'.repeat(32)), {accept: 'text/html'}),
}

const writes: Record<string, Record<string, string>> = {
  'a form of another site': {origin: 'https://evil.example'},
  'a form of another port': {origin: 'http://127.0.0.1:1'},
  'a form of a page without an origin': {origin: 'null'},
}

describe.each(Object.entries(pages))('%s', (_, start) => {
  async function enter(): Promise<Entered> {
    const link = await start()
    const entered = await enterPage(link)
    return {...entered, link, origin: new URL(link).origin}
  }

  it('shows itself to the browser that used its link, whoever sends slowly, and to nobody else', async () => {
    const entered = await enter()
    const {url, cookie} = entered
    const shown = await send(url, {cookie, accept: 'text/html'})
    expect(shown.status).toBe(200)
    expect(shown.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    for (const [name, attack] of Object.entries(attacks)) {
      const {status, headers} = await attack(entered)
      expect([name, status, headers['set-cookie']]).toEqual([name, 403, undefined])
    }
    for (const [name, headers] of Object.entries(writes)) {
      const {status} = await send(url, {cookie, ...headers}, 'POST', 'answer=yes')
      expect([name, [403, 405].includes(status)]).toEqual([name, true])
    }
    await sendSlowly(url)
    expect((await send(url, {cookie, accept: 'text/html'})).status).toBe(200)
  })
})

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"type":"customer.updated","data":{"customerId":"c","customerStatus":"ACTIVE"}}'
const minuteMs = 60_000

function sign(atMs = Date.now(), signed = body, by = secret): Record<string, string> {
  const at = new Date(atMs)
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, signed),
  }
}

async function startSigned() {
  const store = openEventStore(':memory:')
  const secrets = new WebhookSecrets([secret], 'test')
  const stored: boolean[] = []
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/',
    verify: (headers, bytes) => secrets.verify(headers, bytes),
    isBehind: () => false,
    storeEvent: async (received) => stored.push(recordEvent(store, received, []).duplicate) > 0,
    onRejected: () => {},
  })
  onTestFinished(() => receiver.stop())
  return {url: receiver.url, stored}
}

it('the receiver of webhooks stores what is signed, once, refuses everything else, and is kept from nobody by slow senders', async () => {
  const {url, stored} = await startSigned()
  const rows: Array<[name: string, status: number, headers: Record<string, string>, body?: string, method?: string]> = [
    ['unsigned', 401, {}],
    ['forged: another secret', 401, sign(Date.now(), body, `whsec_${Buffer.from('x'.repeat(24)).toString('base64')}`)],
    ['forged: another body', 401, sign(), body.replace('ACTIVE', 'REJECTED')],
    ['forged: another id', 401, {...sign(), 'webhook-id': 'evt_2'}],
    ['too old', 401, sign(Date.now() - 6 * minuteMs)],
    ['too new', 401, sign(Date.now() + 6 * minuteMs)],
    ['10 MB', 413, sign(), 'x'.repeat(10 * 1024 * 1024)],
    ['from a page in a browser', 403, {...sign(), origin: 'https://evil.example'}],
    ['read', 405, {}, '', 'GET'],
    ['signed', 204, sign()],
    ['replayed', 204, sign()],
  ]
  for (const [name, status, headers, sent = body, method = 'POST'] of rows) {
    const reply = await send(url, {...headers, 'content-length': String(sent.length)}, method, sent).catch(
      () => undefined,
    )
    // A server may close the connection while too much is still being sent.
    expect([name, reply?.status ?? status]).toEqual([name, status])
  }
  expect(stored).toEqual([false, true])
  await sendSlowly(url)
  expect((await send(url, sign(), 'POST', body)).status).toBe(204)
})

describe('a server of this machine with more connections than it may have', () => {
  async function start(hold: () => Promise<void>, reads: boolean) {
    const server = await serveLocal({
      port: 0,
      handle: async (request) => {
        if (reads) await text(request)
        await hold()
        return {status: 200, text: 'whole'}
      },
    })
    onTestFinished(() => server.stop())
    return server.origin
  }

  it.each([
    ['GET', '', false],
    ['HEAD', '', false],
    ['POST', '', false],
    ['POST', 'answer=yes', true],
  ] as const)('answers a %s with the body "%s" that came before them', async (method, sent, reads) => {
    const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const origin = await start(() => {
      arrived.resolve()
      return answered.promise
    }, reads)
    const reply = send(origin, {'content-length': String(sent.length)}, method, sent)
    await arrived.promise
    await sendSlowly(origin)
    answered.resolve()
    expect(await reply).toMatchObject({status: 200})
  })

  it('closes the oldest of those that were answered and stay open', async () => {
    const origin = await start(async () => {}, false)
    const agent = new http.Agent({keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity})
    onTestFinished(() => agent.destroy())
    const sockets = await Promise.all(
      Array.from(
        {length: 600},
        () =>
          new Promise<net.Socket>((resolve, reject) => {
            const request = http.get(origin, {agent}, (response) => {
              const {socket} = response
              response.resume().on('end', () => resolve(socket))
            })
            request.on('error', reject)
          }),
      ),
    )
    // Before the server closes them because nothing comes.
    const countClosed = () => sockets.filter((socket) => socket.destroyed).length
    await expect.poll(countClosed, {timeout: 2_000}).toBeGreaterThanOrEqual(600 - 512)
  })
})

describe('the metrics of a worker', () => {
  async function start(renderMetrics = async () => 'svc_rows_in_flight 0\n') {
    const readHealth = () => 'working' as const
    const server = await startMetricsServer({host: '127.0.0.1', port: 0}, {readHealth, renderMetrics})
    onTestFinished(() => server.stop())
    return server.origin
  }

  it('are read, and nothing else, and are kept from nobody by slow senders', async () => {
    const origin = await start()
    const own = new URL(origin).host
    const rows: Array<[name: string, status: number, path: string, headers?: Record<string, string>, method?: string]> =
      [
        ['read', 200, '/metrics'],
        ['read by name', 200, '/metrics', {host: own.replace('127.0.0.1', 'localhost')}],
        ['health', 200, '/healthz'],
        ['written', 404, '/metrics', {}, 'POST'],
        ['another path', 404, '/../etc/passwd'],
        ['no address', 404, '//'],
        ['another host name', 403, '/metrics', {host: 'evil.example'}],
        ['another host name at the port', 403, '/metrics', {host: `evil.example:${new URL(origin).port}`}],
        ['a host name that is none', 403, '/metrics', {host: '/'}],
      ]
    for (const [name, status, path, headers = {}, method = 'GET'] of rows) {
      const reply = await send(origin + path, headers, method)
      expect([name, reply.status]).toEqual([name, status])
    }
    await sendSlowly(origin)
    expect((await send(`${origin}/metrics`, {})).status).toBe(200)
  })

  it('say nothing of what the database answered', async () => {
    const origin = await start(() => Promise.reject(new Error('password authentication failed for svc')))
    expect(await send(`${origin}/metrics`, {})).toMatchObject({status: 503, text: 'The database does not answer\n'})
  })
})
