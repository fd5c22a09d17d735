// Signing headers under attack: they arrive once and unchanged.
import {expect, it} from 'vitest'
import {buildForwardHeaders} from '../../../src/events/targets.ts'

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
