// Any list of a service: it is a list of objects, or it is refused; each item becomes one line of JSON; a list that may go on is said
// to be cut.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {Connection} from '../../src/client/connection.ts'
import {getCutSign} from '../../src/client/paging.ts'
import {parseText} from '../../src/client/send-request.ts'
import {readReply} from '../../src/client/read-reply.ts'
import {toJsonLines} from '../../src/cli/output/formats.ts'
import {wire} from '../../src/contract/wire.frozen.ts'
import {hasControlCharacters} from '../support/hostile.ts'
import {checkInputs, damage, hostileJson, hostileText, jsonPieces, nest, runOrRefuse, fromSeed} from './fuzz.ts'

const list = wire['customers']?.['list']
if (!list) throw new Error('the contract has no list of customers')

const names =
  'customers data items results pagination meta nextPageToken next_page_token cursor next href hasMore total customerId customerStatus customerType id more'.split(
    ' ',
  )
const anyJson = hostileJson(names)
const item = fc
  .tuple(fc.uuid(), fc.constantFrom('ACTIVE', 'active', 'constructor'), anyJson)
  .map(([customerId, customerStatus, more]) => ({customerId, customerStatus, customerType: 'INDIVIDUAL', more}))
const items = fc.array(item, {maxLength: 4})
const rest = fc.oneof(
  fc.constant({}),
  anyJson.filter((value) => typeof value === 'object' && !Array.isArray(value)),
)
const envelope = fc.oneof(
  fc.tuple(items, rest).map(([customers, fields]) => ({customers, ...(fields as object)})),
  fc.tuple(items, rest).map(([customers, fields]) => ({data: {customers}, ...(fields as object)})),
  items,
  anyJson,
)
const layout = fc.constantFrom(0, 1, '\t', '  ')
const json = fc.tuple(envelope, layout).map(([value, indent]) => JSON.stringify(value, null, indent))
const text = fc.oneof({weight: 3, arbitrary: json}, damage(json, jsonPieces))

const one = '{"customerId":"a","customerStatus":"ACTIVE"}'
const corpus = [
  `{"customers":[${one},\r\n${one}]}`,
  `{"customers":[${one} ,\t${one}],"customers":[${one}]}`,
  `{"customers":[${one}],"\\u0063ustomers":[${one}]}`,
  `{"customers":[{"customerId":"a\u2028b"}]}`,
  `{"customers":[{"customerId":"a","n":1e99999999},{"customerId":"b","n":1.50}]}`,
  `{"constructor":[${one}],"__proto__":{"cursor":"x"}}`,
  `{"customers":[${one}],"next":{"href":"?"}}`,
  `{"customers":[${one}],"next":"http://["}`,
  `{"customers":${nest(900)}}`,
  `{"customers":[{"customerId":"a","more":${nest(900)}}]}`,
  `{"customers":[${Array.from({length: 2000}, () => one).join(',')}]}`,
  `[${one}]`,
  '[1e99999999]',
  // A place inside an item that looks like the boundary of two, whose real boundary has a blank.
  '{"customers":[{"customerId":"a","in":[{"z":1},{"customerId":"b"}]} ,{"customerId":"b"}]}',
  '{"customers":[{"customerId":"a","in":[{"z":1},{"customerId":"b"}]},{\t"customerId":"b"}]}',
  '{"customers":[{"customerId":"a","in":[{"z":1},{"customerId":"b"}]},{"customerId" :"b"}]}',
  `{"customers":null,"data":[${one}]}`,
  `{"customers":{},"customerId":[${one}]}`,
]

const connection = {baseUrl: 'http://service.invalid', callerLabel: 'profile "a"'} as Connection

const read = (reply: string) =>
  runOrRefuse(async () => {
    const parsed = parseText(reply)
    const received = {status: 200, body: 'json' in parsed ? parsed.json : undefined, text: reply}
    return readReply(connection, list, received)
  })

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

describe(`any list ${fromSeed}`, () => {
  it('is a list of objects, or is refused', () =>
    checkInputs(text, {corpus}, async (reply) => {
      const outcome = await read(reply)
      if ('refusal' in outcome) return
      const found = outcome.result['customers']
      expect(Array.isArray(found) && found.every(isObject)).toBe(true)
    }))

  it('has one line of JSON for each item, with its values', () =>
    checkInputs(text, {corpus}, async (reply) => {
      const outcome = await read(reply)
      if ('refusal' in outcome) return
      const page = outcome.result
      const found = page['customers'] as unknown[]
      const printed = toJsonLines(found)
      const lines = printed.split('\n').slice(0, -1)
      expect(hasControlCharacters(printed)).toBe(false)
      expect(lines).toHaveLength(found.length)
      const expected = found.map((value) => JSON.parse(JSON.stringify(value)) as unknown)
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(expected)
    }))

  it('that names a next page in its own way is marked as cut', () =>
    checkInputs(fc.tuple(items, hostileText), {}, async ([customers, token]) => {
      const outcome = await read(JSON.stringify({customers, bookmark: `t${token}`}))
      if ('refusal' in outcome) throw outcome.refusal
      expect(getCutSign(outcome.result)).toBe('bookmark')
    }))
})
