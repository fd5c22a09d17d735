// Any text as YAML, and any value that svc writes as YAML: it reads back the same.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {parseYaml} from '../../src/values/yaml.ts'
import {toYaml} from '../../src/cli/output/formats.ts'
import {hasControlCharacters} from '../support/hostile.ts'
import {checkInputs, damage, hostileJson, hostileText, hostileWords, longTexts, nest, fromSeed} from './fuzz.ts'

const anyJson = hostileJson(['name', 'payouts', 'key', 'amount', 'max-fee', 'rules'])
const pieces = [...'*a !x | > " \' [ { # % ---'.split(' '), '- ', ': ', '&a ', '? ', '<<: *a', '\n', '\t']
const written = fc.oneof(
  anyJson.map((value) => JSON.stringify(value, null, 2)),
  fc.constant('rules:\n  - name: a\n    amount: 1.50\n  - &a {name: "b"}\n  - *a\n'),
  fc.constant('payouts:\n  - key: a\n    amount: 0010\n'),
)
const text = fc.oneof(hostileText, written, damage(written, pieces))

const corpus = [
  nest(20_000),
  `${'- '.repeat(20_000)}a`,
  `- &a [1]\n${'- *a\n'.repeat(3000)}`,
  '- &a [*a]\n',
  `a0: &a0 [x]\n${Array.from({length: 30}, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]\n`).join('')}`,
  '__proto__: {a: 1}\nconstructor: 1\n',
  'amount: 1e99999999\nfee: -1e99999999\n',
  '? [a]\n: b\n',
  '"a": 1\na: 2\n',
  '%YAML 9.9\n---\na\n',
  '!!binary a\n',
  '',
  '- \n-\n',
  ...hostileWords,
  // The parser is a package, which takes a while for each token.
  ...longTexts.map((long) => long.slice(0, 10_000)),
]

describe(`any YAML ${fromSeed}`, () => {
  it('is data, or has problems that name a line', () =>
    checkInputs(text, {corpus}, async (source) => {
      const parsed = await parseYaml(source)
      if ('data' in parsed) return
      const {line, message} = parsed.problem
      expect(line >= 1 && line <= source.split(/\r\n|[\n\r]/).length + 1).toBe(true)
      expect(hasControlCharacters(message)).toBe(false)
    }))

  it('that svc writes reads back the same, without control characters', () =>
    checkInputs(
      anyJson,
      {
        corpus: [
          ...hostileWords,
          ...longTexts,
          [...hostileWords],
          Object.fromEntries(hostileWords.map((word) => [word, word])),
        ],
      },
      async (value) => {
        const yaml = await toYaml(value)
        expect(hasControlCharacters(yaml)).toBe(false)
        const expected: unknown = JSON.parse(JSON.stringify(value))
        expect(await parseYaml(yaml)).toEqual({data: expected})
      },
    ))
})
