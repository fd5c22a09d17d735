// Signing headers under attack: they are read strictly, and arrive once and unchanged.
import {expect, it} from 'vitest'
import {Webhook} from 'standardwebhooks'
import {WebhookSecrets} from '../../src/events/signature.ts'
import {buildForwardHeaders} from '../../src/events/targets.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

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
