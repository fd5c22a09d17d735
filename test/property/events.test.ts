// Any bytes and headers that arrive at the webhook port: they are an event or not, and without the secret none is verified.
import {Buffer} from 'node:buffer'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {Webhook} from 'standardwebhooks'
import {deriveEventId, parseEvent} from '../../src/events/event.ts'
import {toHeaders} from '../../src/events/record.ts'
import {WebhookSecrets, signatureHeaders} from '../../src/events/signature.ts'
import {cleanText} from '../../src/cli/output/clean.ts'
import {hasControlCharacters} from '../support/hostile.ts'
import {
  checkInputs,
  damage,
  hostileJson,
  hostileText,
  hostileWords,
  jsonPieces,
  longTexts,
  nest,
  fromSeed,
} from './fuzz.ts'

const names =
  'type event eventType id eventId timestamp createdAt data object payload customer resource attributes customerId customerStatus customerType updatedAt'.split(
    ' ',
  )
const json = hostileJson(names).map((value) => JSON.stringify(value))
const text = fc.oneof({weight: 3, arbitrary: json}, damage(json, jsonPieces), hostileText)
const body = fc.oneof(
  {weight: 3, arbitrary: text.map((one) => Buffer.from(one))},
  fc.uint8Array({maxLength: 40}).map((bytes) => Buffer.from(bytes)),
)

const corpus = [
  '{"type":"constructor","data":{"customerId":"__proto__"}}',
  '{"type":{"toString":1},"id":1e99999999}',
  '{"customerId":1,"customerStatus":null}',
  `{"data":${nest(900, '{"data":', '')}`,
  `${'{"data":'.repeat(900)}1${'}'.repeat(900)}`,
  nest(100_000),
  ...longTexts.map((type) => JSON.stringify({type, customerId: 'a'})),
  ...hostileWords.map((type) => JSON.stringify({type, data: {customerId: type}})),
].map((one) => Buffer.from(one))

const isTextOrAbsent = (value: unknown) => value === undefined || (typeof value === 'string' && value !== '')

const secret = `whsec_${Buffer.from('an invented secret of the tests!').toString('base64')}`
const secrets = new WebhookSecrets([secret], 'The secret')
const now = new Date('2026-11-15T12:00:00Z')

describe(`any event ${fromSeed}`, () => {
  it('has a type and an id that are text, or is no event', () =>
    checkInputs(body, {corpus}, (bytes) => {
      const event = parseEvent(bytes)
      expect(deriveEventId(undefined, event, bytes)).toBeTypeOf('string')
      if (!event) return
      const {type, bodyId, customerId, customerStatus, updatedAt, eventAt} = event
      expect([type, bodyId, customerId, customerStatus, updatedAt].every(isTextOrAbsent)).toBe(true)
      expect(type).toBeDefined()
      expect(eventAt === undefined || Number.isFinite(eventAt)).toBe(true)
      expect(hasControlCharacters(cleanText(type).replaceAll('\u200D', ''))).toBe(false)
      // Of a customer that is shown, the id is one of those in the body.
      if (customerId !== undefined) expect(JSON.stringify(event.event)).toContain(JSON.stringify(customerId))
    }))

  it('with any headers is refused with a reason', () =>
    checkInputs(
      fc.tuple(
        body,
        fc.array(fc.oneof(hostileText, fc.constant('1763208000'), fc.constant('v1,AAAA')), {
          minLength: 3,
          maxLength: 3,
        }),
      ),
      {
        corpus: hostileWords.map((word): [Buffer<ArrayBuffer>, string[]] => [
          Buffer.from('{}'),
          [word, word, `v1,${word}`],
        ]),
      },
      ([bytes, values]) => {
        const headers = Object.fromEntries(signatureHeaders.map((name, index) => [name, values[index] ?? '']))
        expect(secrets.verify(headers, bytes)).toMatchObject({verified: false})
        expect(secrets.verify(headers, bytes, 'unknown')).toMatchObject({verified: false})
      },
    ))

  it('that was signed is verified as it is, and not with another byte', () =>
    checkInputs(fc.tuple(text, fc.nat()), {}, ([content, at]) => {
      const bytes = Buffer.from(content)
      const signature = new Webhook(secret).sign('evt_1', now, bytes.toString())
      const timestamp = String(now.getTime() / 1000)
      const headers = {'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature}
      expect(secrets.verify(headers, bytes, now.getTime())).toEqual({verified: true})
      const other = Buffer.concat([bytes, Buffer.from(' ')])
      other[at % other.length] = (other[at % other.length] ?? 0) ^ 1
      expect(secrets.verify(headers, other, now.getTime())).toMatchObject({verified: false})
    }))

  it('has headers under their own names alone', () =>
    checkInputs(fc.array(fc.tuple(hostileText, hostileText), {maxLength: 5}), {}, (pairs) => {
      const headers = toHeaders(pairs.flat())
      const sent = new Set(pairs.map(([name]) => name.toLowerCase()))
      expect(Object.keys(headers).every((name) => sent.has(name))).toBe(true)
    }))
})
