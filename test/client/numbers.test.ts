// Numbers are printed with the digits that the service sent: a float would change amounts of money.
import {describe, expect, it} from 'vitest'
import * as fc from 'fast-check'
import {parseJson} from '../../src/values/json.ts'
import {measureCpuMs} from '../support/cpu-time.ts'
import {customer, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {rawReply, serveRaw} from './raw-service.ts'

const odd = '{"x":12345678901234567890,"y":1.10,"z":1e400,"w":-0,"v":[0.1e-7,-1.0],"u":9007199254740993}'
const removeSpaces = (text: string) => text.replaceAll(/\s/g, '')

// Keeps the digits of every number, however slow that is.
const keep = (_: string, value: unknown, context?: {source?: string}) =>
  typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value

describe('numbers', () => {
  it('are printed digit for digit with --json', async () => {
    const service = await serveRaw(rawReply(odd))
    const {code, out} = await run(freshHome(), ['api', 'GET', '/x', '--json'], {env: service.env})
    expect({code, out: removeSpaces(out)}).toEqual({code: 0, out: odd})
  })

  it('are printed digit for digit in a list, as JSON and as JSON lines', async () => {
    const one = JSON.stringify(customer(1)).replace(/\}$/, `,"more":${odd}}`)
    const service = await serve((_, response) => reply(response, 200, `{"customers":[${one}],"total":1.50}`))
    const whole = await run(freshHome(), ['customers', 'list', '--json'], {env: service.env})
    expect(removeSpaces(whole.out)).toContain(`"more":${odd}`)
    expect(removeSpaces(whole.out)).toContain('"total":1.50')
    const lines = await run(freshHome(), ['customers', 'list', '-o', 'jsonl'], {env: service.env})
    expect(lines).toMatchObject({code: 0, out: `${one}\n`})
  })

  it.each(['table', 'csv', 'yaml'])(
    'are unchanged in %s output, if a field that should be text is a number',
    async (format) => {
      const one = JSON.stringify(customer(1)).replace('"Customer 1"', '12345678901234567890.10')
      const service = await serveRaw(rawReply(one))
      const args = ['customers', 'get', customer(1).customerId, '-o', format]
      const {code, out} = await run(freshHome(), args, {env: service.env})
      expect(code).toBe(0)
      expect(out).toContain('12345678901234567890.10')
    },
  )

  it.each(['1.10', '12345678901234567890', '-0', '0', 'null', '"x"'])(
    'as a whole reply, such as %s, are unchanged',
    async (text) => {
      const service = await serveRaw(rawReply(text))
      expect(await run(freshHome(), ['api', 'GET', '/x', '--json'], {env: service.env})).toEqual({
        code: 0,
        out: `${text}\n`,
        err: '',
      })
    },
  )

  it('of every form are written as they were read', () => {
    const digits = (min: number, max: number) =>
      fc.array(fc.integer({min: 0, max: 9}), {minLength: min, maxLength: max}).map((all) => all.join(''))
    const number = fc
      .record({
        sign: fc.constantFrom('', '-'),
        whole: fc.oneof(
          fc.constant('0'),
          digits(1, 25).map((text) => `1${text}`),
        ),
        fraction: fc.oneof(
          fc.constant(''),
          digits(1, 20).map((text) => `.${text}`),
        ),
        exponent: fc.constantFrom('', 'e5', 'E-9', 'e+400', 'e0'),
      })
      .map(({sign, whole, fraction, exponent}) => sign + whole + fraction + exponent)
    const holder = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => `[${text}]`,
      (text) => `{"a":${text}}`,
      (text) => `[0,${text},{"b":[${text}]}]`,
    )
    fc.assert(
      fc.property(number, holder, (text, hold) => {
        expect(JSON.stringify(parseJson(hold(text)))).toBe(hold(text))
      }),
      {numRuns: 500},
    )
  })

  it.each([
    '{"n":6,"at":"2026-11-01T12:00:00.123Z"}',
    '{"n":6.0,"text":"\\"n\\":6"}',
    '{"a":{"n":6},"b":{"n":6.0}}',
    '{"n":[6,6.0]}',
    '{"n" : 6.0}',
    '{"\\u006e":6.0}',
    '{"n":-0,"m":-1}',
    '{"n":123456789012345,"m":1234567890123456}',
  ])('in %s are unchanged', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text, keep)))
  })

  it('nested too deeply in lists are rejected without a crash', () => {
    expect(() => parseJson(`${'['.repeat(5000)}1${']'.repeat(5000)}`)).toThrow(SyntaxError)
    expect(() => parseJson(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)).toThrow(SyntaxError)
  })

  it('that fit a float are plain numbers', () => {
    expect(parseJson('{"a":12,"b":[0.5,1e21,-3]}')).toMatchObject({a: 12, b: [0.5, expect.anything(), -3]})
  })

  it('do not make parsing long text slow', () => {
    const hostile = `{"a":"${'[ '.repeat(200_000)}${','.repeat(200_000)}${'1'.repeat(200_000)}"}`
    expect(measureCpuMs(() => void parseJson(hostile))).toBeLessThan(1000)
  })
})
