// Signatures: what is accepted, what is rejected, and by which clock.
import {describe, expect, it} from 'vitest'
import {WebhookSecrets} from '../../../src/events/signature.ts'
import {secret, sign, createUpdate} from './listener.ts'

const secrets = new WebhookSecrets([secret], 'the test')
const other = `whsec_${Buffer.from('another secret of many letters').toString('base64')}`
const body = Buffer.from(createUpdate(1))
const verify = (headers: Record<string, string>, bytes = body) => secrets.verify(headers, bytes)

describe('an event that has just arrived', () => {
  it('is verified with its secret, and with one of several', () => {
    const headers = sign('evt_1', body.toString())
    expect(verify(headers)).toEqual({verified: true})
    const both = `v1,AAAA ${headers['webhook-signature']} v2,x`
    expect(verify({...headers, 'webhook-signature': both})).toEqual({verified: true})
    expect(new WebhookSecrets([other, secret], 'the test').verify(headers, body)).toEqual({verified: true})
  })

  const minutes = (count: number) => new Date(Date.now() + count * 60_000)
  const signed = sign('evt_1', body.toString())
  const at = signed['webhook-timestamp'] ?? ''

  it.each<[string, Record<string, string>, string]>([
    ['is not signed', {}, 'it is not signed'],
    [
      'is signed with another secret',
      sign('evt_1', body.toString(), new Date(), other),
      'its signature does not match',
    ],
    ['has another id', {...signed, 'webhook-id': 'evt_2'}, 'its signature does not match'],
    ['has another body', sign('evt_1', createUpdate(2)), 'its signature does not match'],
    ['is old', sign('evt_1', body.toString(), minutes(-6)), 'its timestamp is more than five minutes off its arrival'],
    ['is ahead', sign('evt_1', body.toString(), minutes(6)), 'its timestamp is more than five minutes off its arrival'],
    ...['x', `${at}x`, `${at} `, `${at}.5`, `${at}e3`, `${at}\u0660`].map(
      (time): [string, Record<string, string>, string] => [
        `was sent at ${time}`,
        {...signed, 'webhook-timestamp': time},
        'its timestamp cannot be read',
      ],
    ),
  ])('is rejected if it %s', (_, headers, reason) => {
    expect(verify(headers)).toEqual({verified: false, reason})
  })

  it('is rejected if its bytes are not UTF-8, since other bytes would match the same signature', () => {
    const [first, second] = [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from([0x7b, 0xfe, 0x7d])]
    const headers = sign('evt_1', first.toString())
    expect(headers).toEqual(sign('evt_1', second.toString()))
    for (const bytes of [first, second])
      expect(verify(headers, bytes)).toEqual({verified: false, reason: 'its body is not UTF-8'})
  })
})

const lastYear = new Date('2025-11-01T12:00:00Z')
const headers = sign('evt_1', body.toString(), lastYear)

it('an event that arrived earlier is verified as of the time of its arrival, not as of now', () => {
  expect(secrets.verify(headers, body)).toMatchObject({verified: false})
  expect(secrets.verify(headers, body, lastYear.getTime() + 299_000)).toEqual({verified: true})
  expect(secrets.verify(headers, body, 'unknown')).toEqual({verified: true})
  expect(secrets.verify(headers, body, lastYear.getTime() + 302_000)).toMatchObject({
    reason: 'its timestamp is more than five minutes off its arrival',
  })
})

it.each(['', 'whsec_', 'whsec_!!!'])('a secret that is malformed, %j, is rejected without being shown', (text) => {
  expect(() => new WebhookSecrets([text], 'SVC_WEBHOOK_SECRET')).toThrow(/^SVC_WEBHOOK_SECRET holds no secret/)
})
