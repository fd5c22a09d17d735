// Numbers are printed with the digits that the service sent: a float would change amounts of money.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {parseJson} from '../../src/values/json.ts'
import {measureCpuMs} from '../support/cpu-time.ts'
import {customer} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {rawReply, serveRaw} from './raw-service.ts'
import {seed} from '../support/seed.ts'

const odd = '{"x":12345678901234567890,"y":1.10,"z":1e400,"w":-0,"v":[0.1e-7,-1.0],"u":9007199254740993}'
const withOdd = JSON.stringify(customer(1)).replace(/\}$/, `,"more":${odd}}`)
const asName = JSON.stringify(customer(1)).replace('"Customer 1"', '12345678901234567890.10')
const get = ['customers', 'get', customer(1).customerId, '-o']

type Row = [body: string, args: string[], printed: string]

describe('numbers', () => {
  it.each<Row>([
    [odd, ['api', 'GET', '/x', '--json'], odd],
    [`{"customers":[${withOdd}],"total":1.50}`, ['customers', 'list', '--json'], `"more":${odd}`],
    [`{"customers":[${withOdd}],"total":1.50}`, ['customers', 'list', '--json'], '"total":1.50'],
    [`{"customers":[${withOdd}]}`, ['customers', 'list', '-o', 'jsonl'], withOdd],
    // A field that should be text.
    ...['table', 'csv', 'yaml'].map((format): Row => [asName, [...get, format], '12345678901234567890.10']),
    ...['1.10', '12345678901234567890', '-0', '0'].map((text): Row => [text, ['api', 'GET', '/x', '--json'], text]),
  ])('of %s are printed digit for digit by %j', async (body, args, expected) => {
    const service = await serveRaw(rawReply(body))
    const {code, out} = await run(freshHome(), args, {env: service.env})
    expect(code).toBe(0)
    expect(out.replaceAll(/\s/g, '')).toContain(expected.replaceAll(/\s/g, ''))
  })

  it('of every form are written as they were read', () => {
    const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^\\d{${min},${max}}$`))
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(
          fc.constant('0'),
          digits(1, 25).map((text) => `1${text}`),
        ),
        fc.oneof(
          fc.constant(''),
          digits(1, 20).map((text) => `.${text}`),
        ),
        fc.constantFrom('', 'e5', 'E-9', 'e+400', 'e0'),
      )
      .map((parts) => parts.join(''))
    const holder = fc.constantFrom(
      'N',
      '[N]',
      '[6,N]',
      '{"a":N}',
      '{"a":6,"b":{"a":N}}',
      '[0,N,{"b":[N]}]',
      '{"text":"\\"a\\":N","a":N}',
    )
    fc.assert(
      fc.property(number, holder, (text, hold) => {
        const written = hold.replaceAll('N', text)
        expect(JSON.stringify(parseJson(written))).toBe(written)
      }),
      {seed, numRuns: 500},
    )
  })

  it('that fit a float are plain numbers, and neither depth nor length makes parsing slow or fail otherwise', () => {
    expect(parseJson('{"a":12,"b":[0.5,1e21,-3]}')).toMatchObject({a: 12, b: [0.5, expect.anything(), -3]})
    expect(() => parseJson(`${'['.repeat(5000)}1${']'.repeat(5000)}`)).toThrow(SyntaxError)
    expect(() => parseJson(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)).toThrow(SyntaxError)
    const hostile = `{"a":"${'[ '.repeat(200_000)}${','.repeat(200_000)}${'1'.repeat(200_000)}"}`
    expect(measureCpuMs(() => void parseJson(hostile))).toBeLessThan(1000)
  })
})
