// Any reply of a service: it is read, or refused in a sentence, and its values are printed as they were sent.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {readErrorBody} from '../../src/client/failures.ts'
import {parseText, toParsedReply} from '../../src/client/send-request.ts'
import {readReply} from '../../src/client/read-reply.ts'
import type {Connection} from '../../src/client/connection.ts'
import {cleanText} from '../../src/cli/output/clean.ts'
import {toJson} from '../../src/cli/output/formats.ts'
import {wire} from '../../src/contract/wire.frozen.ts'
import {redactBody} from '../../src/sandbox/service/log/request-log.ts'
import {parseJson} from '../../src/values/json.ts'
import {parsePositiveDecimal} from '../../src/values/money.ts'
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
  runOrRefuse,
  fromSeed,
} from './fuzz.ts'

const names =
  'error message errors detail title code type statusCode field path source loc data customer customerId customerStatus quoteId transactionId expiresAt amount id'.split(
    ' ',
  )

const json = hostileJson(names).map((value) => JSON.stringify(value))
const body = fc.oneof({weight: 3, arbitrary: json}, damage(json, jsonPieces), hostileText)

const corpus = [
  '{"error":"constructor"}',
  '{"error":{"code":"__proto__","message":["constructor"]}}',
  '{"errors":{"__proto__":["is taken"]},"message":null}',
  '{"amount":1e99999999,"fee":-1e99999999,"n":-0,"m":1.50}',
  '{"toString":1,"message":{"toString":1}}',
  '1e99999999',
  nest(100_000),
  nest(900),
  `<html><title>${'x'.repeat(1000)}`,
  ...longTexts,
  ...longTexts.map((message) => JSON.stringify({error: 'BAD_REQUEST', message})),
  ...hostileWords,
]

const connection = {baseUrl: 'http://service.invalid', callerLabel: 'profile "a"'} as Connection
const endpoints = [wire['customers']?.['get'], wire['transactions']?.['create'], wire['quotes']?.['create']].filter(
  (endpoint) => endpoint !== undefined,
)

const isClean = (text: string) => !hasControlCharacters(cleanText(text).replaceAll('\u200D', ''))

describe(`any reply ${fromSeed}`, () => {
  it.each([200, 204, 400, 404, 500, 302])('with status %i is read or refused in a sentence', (status) =>
    checkInputs(body, {corpus, share: 0.5}, async (text) => {
      for (const endpoint of endpoints) {
        const request = {...endpoint, host: 'service.invalid', caller: 'profile "a"'}
        const reply = {
          status,
          statusText: '',
          ok: status < 300,
          headers: new Headers(),
          body: true as const,
          text: async () => text,
        }
        const read = await runOrRefuse(async () =>
          readReply(connection, endpoint, toParsedReply(request, reply, parseText(text))),
        )
        if ('result' in read) expect(status < 300 && typeof read.result === 'object').toBe(true)
        else {
          expect([read.refusal.message, read.refusal.hint ?? ''].every(isClean)).toBe(true)
          expect(read.refusal.message.length).toBeLessThan(1_500)
        }
      }
    }),
  )

  it('that is an error has a code and a reason that are text', () =>
    checkInputs(body, {corpus}, (text) => {
      const parsed = parseText(text)
      const found = readErrorBody('json' in parsed ? parsed.json : undefined, text)
      expect(Object.values(found).every((value) => typeof value === 'string')).toBe(true)
    }))

  it('is printed with the values and the digits that it has', () =>
    checkInputs(body, {corpus}, (text) => {
      const parsed = parseText(text)
      if (!('json' in parsed)) return
      const printed = toJson(parsed.json)
      expect(hasControlCharacters(printed)).toBe(false)
      expect(JSON.stringify(parseJson(printed))).toBe(JSON.stringify(parsed.json))
      expect(JSON.parse(printed)).toEqual(JSON.parse(text))
    }))

  it('is logged within the limits of the log', () =>
    checkInputs(body, {corpus}, (text) => {
      const parsed = parseText(text)
      const logged = redactBody('json' in parsed ? parsed.json : text)
      expect(logged === null || (logged.length <= 4000 && !/[\n\r]/.test(logged))).toBe(true)
    }))

  it('has amounts that are decimals of a usual size, or none', () =>
    checkInputs(fc.oneof(hostileText, fc.stringMatching(/^[-+.\deE]{1,40}$/)), {corpus: hostileWords}, (text) => {
      expect((parsePositiveDecimal(text)?.toFixed() ?? '').length).toBeLessThan(300)
    }))
})
