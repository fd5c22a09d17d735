// The receiver of events under attack: unfinished requests keep nobody out, and signing headers arrive once and unchanged.
import net from 'node:net'
import {describe, expect, it, onTestFinished} from 'vitest'
import {Webhook} from 'standardwebhooks'
import {startReceiver} from '../../src/events/receiver.ts'
import {WebhookSecrets} from '../../src/events/signature.ts'
import {buildForwardHeaders} from '../../src/events/targets.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const mebibyte = 1024 * 1024

async function start() {
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/',
    verify: () => undefined,
    isBehind: () => false,
    storeEvent: async () => true,
    onRejected: () => {},
  })
  const sockets: net.Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await receiver.stop()
  })
  const connect = (text: string | Buffer) =>
    new Promise<void>((resolve) => {
      const socket = net.connect(Number(new URL(receiver.url).port), '127.0.0.1', () =>
        socket.write(text, () => resolve()),
      )
      socket.on('error', () => resolve())
      sockets.push(socket)
    })
  const post = async (body: string) => (await fetch(receiver.url, {method: 'POST', body})).status
  return {connect, post}
}

describe('unfinished requests keep nobody out', () => {
  it('by their number', async () => {
    const {connect, post} = await start()
    for (let count = 0; count < 600; count++) await connect('POST / HTTP/1.1\r\n')
    expect(await post('{}')).toBe(204)
  })

  it('by their size', async () => {
    const {connect, post} = await start()
    const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${10 * mebibyte}\r\n\r\n`
    const send = (bytes: number) => connect(Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 'a')]))
    for (let count = 0; count < 6; count++) await send(10 * mebibyte - 1)
    await send(4 * mebibyte)
    // The receiver has read all of it when it answers this.
    expect([204, 503]).toContain(await post('{}'))
    expect(await post(JSON.stringify({text: 'x'.repeat(mebibyte)}))).toBe(204)
    expect(await post(JSON.stringify({text: 'x'.repeat(mebibyte)}))).toBe(204)
  })
})

it('a timestamp is digits', () => {
  const now = new Date()
  const body = Buffer.from('{}')
  const headers = {
    'webhook-id': 'a',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('a', now, '{}'),
  }
  const secrets = new WebhookSecrets([secret], 'test')
  expect(secrets.verify(headers, body)).toEqual({verified: true})
  for (const more of ['x', ' ', '.5', 'e3', '\u0660']) {
    const changed = {...headers, 'webhook-timestamp': headers['webhook-timestamp'] + more}
    expect(secrets.verify(changed, body)).toEqual({verified: false, reason: 'its timestamp cannot be read'})
  }
})

it('signing headers are forwarded once, as they were verified, and cannot be removed or added', () => {
  const sent = [
    ['Webhook-Id', 'first'],
    ['webhook-id', 'second'],
    ['webhook_id', 'third'],
    ['webhook-timestamp', '1'],
    ['webhook-signature', 'v1,a'],
    ['WEBHOOK-SIGNATURE', 'v1,b'],
    ['webhook_signature', 'v1,c'],
    ['svc_event_verified', 'true'],
    ['x-hop', '1'],
    ['x-other', '2'],
    ['connection', 'close, x-hop, webhook-signature, webhook-id, svc-event-verified'],
  ]
  const event = {id: 'first', trust: 0, headers: JSON.stringify(sent.flat()), body: Buffer.from('{}')}
  const forwarded = buildForwardHeaders(event, 'http://127.0.0.1:1/')
  const pairs = forwarded.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), forwarded[at + 1]]] : []))
  expect(pairs).toEqual([
    ['host', '127.0.0.1:1'],
    ['webhook-id', 'first'],
    ['webhook-timestamp', '1'],
    ['webhook-signature', 'v1,a'],
    ['x-other', '2'],
    ['content-length', '2'],
    ['svc-event-id', 'first'],
    ['svc-event-verified', 'false'],
  ])
})
