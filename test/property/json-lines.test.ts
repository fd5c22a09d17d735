// Any text as JSON lines, and any value that svc writes as one: a line is a line, and reads back the same.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {toJsonLine} from '../../src/cli/output/formats.ts'
import {columns} from '../../src/payouts/file/records.ts'
import {parseJsonLines} from '../../src/payouts/file/payout-file.ts'
import {findRepeatedField, parseJson} from '../../src/values/json.ts'
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

const anyJson = hostileJson(columns)
const row = fc
  .array(fc.tuple(fc.constantFrom(...columns), hostileText), {maxLength: 6})
  .map((entries): unknown => Object.fromEntries(entries))
const line = fc.oneof(row, anyJson).map((value) => JSON.stringify(value))
const lines = fc
  .tuple(fc.array(line, {maxLength: 5}), fc.constantFrom('\n', '\r\n', '\n\n'))
  .map(([all, end]) => all.join(end))
const text = fc.oneof(hostileText, lines, damage(lines, jsonPieces))

const corpus = [
  nest(100_000),
  nest(900),
  `{"key":${nest(900)}}`,
  `${nest(500, '{"a":', '')}1${'}'.repeat(500)}`,
  '{"amount":1e99999999}\n{"amount":-1e99999999}',
  '{"amount":1,"amount":2}',
  String.raw`{"amount":1,"\u0061mount":2}`,
  '{"constructor":1,"__proto__":2}',
  '{"key":"a\u2028b"}\u2028{"key":"c"}',
  '{"key":"a\u0085b"}',
  `{${Array.from({length: 5000}, (_, index) => `"n${index}":1.50`).join(',')}}`,
  ...longTexts,
  ...hostileWords,
]

describe(`any JSON lines ${fromSeed}`, () => {
  it('are rows and problems that name a line', () =>
    checkInputs(text, {corpus}, (source) => {
      const {records, problems} = parseJsonLines(source)
      const count = source.split('\n').length
      expect([...records, ...problems].every((one) => one.line >= 1 && one.line <= count)).toBe(true)
      expect(problems.every(({message}) => message.length < 500 && !message.includes('\n'))).toBe(true)
      const named = new Set([...records, ...problems].map((one) => one.line))
      const filled = source.split('\n').filter((one) => one.trim() !== '').length
      expect(named.size).toBe(filled)
    }))

  it('never hide that a field occurs twice', () =>
    checkInputs(fc.tuple(row, fc.nat()), {}, ([fields, at]) => {
      const written = JSON.stringify(fields)
      expect(findRepeatedField(written)).toBeUndefined()
      const entries = Object.entries(fields as object)
      const again = entries[at % Math.max(1, entries.length)]
      if (!again) return
      const twice = `${written.slice(0, -1)},${JSON.stringify(again[0])}:"other"}`
      expect(findRepeatedField(twice)).toBe(again[0])
      expect(parseJsonLines(twice).records).toEqual([])
    }))

  it('that svc writes are one line each, without control characters, and read back the same', () =>
    checkInputs(
      anyJson,
      {corpus: [...hostileWords, ...longTexts, Object.fromEntries(hostileWords.map((word) => [word, word]))]},
      (value) => {
        const written = toJsonLine(value)
        expect(written.indexOf('\n')).toBe(written.length - 1)
        expect(hasControlCharacters(written)).toBe(false)
        expect(JSON.stringify(parseJson(written))).toBe(JSON.stringify(value))
      },
    ))
})
