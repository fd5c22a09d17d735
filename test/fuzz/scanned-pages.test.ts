// Any page that the scanner accepts is one that parsing reads, that matches the contract, and whose numbers keep their digits.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {createPageScanner} from '../../src/client/scan-page.ts'
import {findScannedPage} from '../../src/client/scanned-pages.ts'
import {matchesShape} from '../../src/contract/match-shape.ts'
import {type WireEndpoint, definitions, wire} from '../../src/contract/wire.frozen.ts'
import {parseJson} from '../../src/values/json.ts'
import {readScannedIds} from '../support/scanned-ids.ts'
import {customer} from '../support/service.ts'
import {transaction} from '../support/transactions.ts'
import {checkInputs, damage, fromSeed, hostileJson, hostileText, jsonPieces} from './fuzz.ts'

const lists = {
  customers: wire['customers']?.['list'] as WireEndpoint,
  transactions: wire['transactions']?.['list'] as WireEndpoint,
}
type List = keyof typeof lists

const names = ['customers', 'transactions', 'customerId', 'source', 'fees', 'label', 'nextPageToken', 'createdAt', 'x']
const more = fc.oneof(fc.constant({}), fc.dictionary(fc.constantFrom(...names), hostileJson(names), {maxKeys: 2}))
const list = fc.constantFrom<List>('customers', 'transactions')
const page = fc
  .tuple(list, fc.array(more, {minLength: 1, maxLength: 3}), fc.oneof(fc.constant({}), more))
  .map(([name, items, fields]): [List, string] => [
    name,
    JSON.stringify({
      [name]: items.map((fieldsOfItem, index) =>
        name === 'customers' ? {...customer(index), ...fieldsOfItem} : {...transaction(index), ...fieldsOfItem},
      ),
      ...fields,
    }),
  ])
const pieces = [...jsonPieces, '"x":', '"customerId":', 'null', 'true', '-1', '12', '{}', '[]', '\\"', 'é', '\u007f']
// The text of a reply is decoded from bytes, so it never has half of a pair of surrogates, which the damage may leave.
const damaged = page.chain(([name, text]) =>
  damage(fc.constant(text), pieces).map((found): [List, string] => [name, found.toWellFormed()]),
)

// What was accepted, against what parsing gives.
function compare(name: List, text: string): boolean {
  const found = createPageScanner(lists[name])(text) as Record<string, unknown> | undefined
  if (!found) return false
  const parsed = parseJson(text) as Record<string, unknown[]>
  expect(matchesShape(parsed, lists[name].reply, definitions)).toBe(true)
  const lines = findScannedPage(found)?.lines
  const ids = readScannedIds(found)
  if (lines !== undefined)
    expect(
      lines
        .toString()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(parsed[name])
  if (ids) expect(ids).toEqual(parsed[name]?.map((item) => (item as Record<string, unknown>)[`${name.slice(0, -1)}Id`]))
  // Both with the digits of their numbers.
  expect(JSON.stringify(found)).toBe(JSON.stringify(parsed))
  expect(Object.keys(found)).toEqual(Object.keys(parsed))
  return true
}

describe(`a scanned page ${fromSeed}`, () => {
  it('is the page that parsing gives', () =>
    checkInputs(page, {}, ([name, text]) => {
      expect(() => compare(name, text)).not.toThrow()
    }))

  it('is that also if its text is damaged', () =>
    checkInputs(damaged, {share: 4}, ([name, text]) => {
      expect(() => compare(name, text)).not.toThrow()
    }))

  it('is accepted with any text that needs no escape by number', () =>
    checkInputs(hostileText, {}, (text) => {
      const isPlain = !JSON.stringify(text).replaceAll('\\\\', '').includes('\\u')
      expect(compare('customers', JSON.stringify({customers: [{...customer(1), name: text}]}))).toBe(isPlain)
    }))
})
