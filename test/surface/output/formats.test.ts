// The machine formats: CSV that no spreadsheet runs, YAML with every digit, JSON in its envelope, and empty lists.
import {spawnSync} from 'node:child_process'
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import {applyAssignment, convertUntyped} from '../../../src/cli/body/assignments.ts'
import {toYaml} from '../../../src/cli/output/formats.ts'
import {expectsProgram} from '../../support/programs.ts'
import {customer, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'

test('CSV neutralises the name of an unknown field', async () => {
  const service = await serve((_, response) => reply(response, 200, {...customer(1), '=cmd()': 1}))
  const {out} = await run(freshHome(), ['customers', 'get', customer(1).customerId, '-o', 'csv'], {env: service.env})
  expect(out.split('\n')[0]).toContain(",'=cmd()")
})

describe('YAML', () => {
  test('keeps every digit of a number, like JSON', async () => {
    const digits = ['1.10', '12345678901234567890.123', '0.1000000000000000055', '123456789012345678901', '1e400', '-7']
    const service = await serve((_, response) =>
      reply(response, 200, `{"customers":[{"amounts":[${digits.join(',')}]}]}`),
    )
    const home = freshHome()
    for (const format of ['yaml', 'json', 'jsonl']) {
      const {out} = await run(home, ['customers', 'list', '-o', format], {env: service.env})
      // A YAML 1.1 parser takes a number with an exponent for text, unless it has a point and a sign.
      const written = format === 'yaml' ? digits.map((number) => number.replace('1e400', '1.0e+400')) : digits
      for (const number of written) expect([format, out.includes(number)]).toEqual([format, true])
    }
  })

  test('quotes text that a YAML 1.1 parser would read as another type', async () => {
    const text = await toYaml({country: 'NO', answer: 'yes', day: '2026-11-01', clock: '12:30:45', empty: [], none: {}})
    expect(text).toBe('country: "NO"\nanswer: "yes"\nday: "2026-11-01"\nclock: "12:30:45"\nempty: []\nnone: {}\n')
    expect(parse(text, {version: '1.1'})).toMatchObject({country: 'NO', answer: 'yes', day: '2026-11-01'})
  })
})

// Text that parsers of YAML 1.1 and 1.2 read in different ways, alone and joined with another.
const difficult = [
  '= << ~ null NO y on 010 0o7 0b1 0x1f 1_000 1:30 .5 1. 1e3 .inf -.INF 2026-11-15 --- ... - ? [ { &a *a !a | %a @a'.split(
    ' ',
  ),
  ['', '? a', ': a', 'a: b', 'a:', 'a #b', '- a', '"', "it's", 'a\nb', '\na\n', 'a\tb', ' a ', '\\', 'a\r\nb'],
  [String.raw`\u200d`, 'a b\n'.repeat(60), '12345678-1e3', '👩‍👩‍👧‍👦', '👩\u200D', 'a\u200Db', '🏴\u{E0067}\u{E007F}'],
  '\u{E0041} \uFFFE \uFFFF \uFEFFa \u00A0 \u2028 \u0085 \u007F \u0000 \u001B[31m \u202Ea \u{1FFFE} \u{10FFFF} \uE000 \u00AD'.split(
    ' ',
  ),
].flat()
const texts = [
  ...difficult,
  ...difficult.flatMap((text, index) => [text + (difficult[index * 7 + 3] ?? 'x'), `a${text}`]),
]
const document = {
  numbers: [1e21, 1.5e-7, 1e-9, 0, -0.5],
  texts,
  keys: Object.fromEntries(texts.filter((text) => text.length < 100).map((text) => [text, 1])),
}

// The first Python may lack the library that the system has.
const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import yaml; yaml.CSafeLoader'], {stdio: 'ignore', timeout: 10_000}).status === 0,
)

const readWithPython = `
import json, sys, yaml
text, wanted = json.load(sys.stdin)
for loader in (yaml.SafeLoader, yaml.CSafeLoader):
  read = yaml.load(text, loader)
  for found, sent in zip(read['texts'], wanted['texts']):
    if found != sent: sys.exit(f'{loader.__name__} reads {found!r} instead of {sent!r}')
  if read != wanted: sys.exit(f'{loader.__name__} reads other keys or numbers')
`

test.runIf(python !== undefined || expectsProgram('python with PyYAML'))(
  'difficult text in YAML reads back the same in PyYAML and libyaml',
  async () => {
    const input = JSON.stringify([await toYaml(document), document])
    const {status, stderr} = spawnSync(python ?? 'python3', ['-c', readWithPython], {input, encoding: 'utf8'})
    expect({status, stderr}).toEqual({status: 0, stderr: ''})
  },
)

test('An empty list exits with 0 in every format: an envelope, nothing, or a notice', async () => {
  const service = await serve((_, response) => reply(response, 200, {customers: []}))
  const home = freshHome()
  const as = (format: string) => run(home, ['customers', 'list', '-o', format], {env: service.env})
  expect(await as('table')).toEqual({code: 0, out: '', err: 'No customers.\n'})
  expect(json((await as('json')).out)).toEqual({customers: []})
  expect(await as('jsonl')).toEqual({code: 0, out: '', err: ''})
  expect(await as('yaml')).toEqual({code: 0, out: 'customers: []\n', err: ''})
  const quiet = await run(home, ['customers', 'list', '--quiet'], {env: service.env})
  expect(quiet).toEqual({code: 0, out: '', err: ''})
})

test('A page that is far larger than requested is printed completely', async () => {
  const count = 150_000
  const service = await serve((_, response) =>
    reply(response, 200, `{"customers":[${Array(count).fill('{}').join()}]}`),
  )
  const {code, out} = await run(freshHome(), ['customers', 'list', '--all', '--json'], {env: service.env})
  expect(code).toBe(0)
  expect(out.match(/\{\}/g)).toHaveLength(count)
})

test('--set reads true, false and null as such, JSON after :=, and anything else as text', () => {
  const body = {}
  for (const one of ['a.b=true', 'a.c=null', 'a.d=1.10', 'a.e:=[1,2]', 'f=x=y', 'g=constructor'])
    applyAssignment(body, one, convertUntyped)
  expect(body).toEqual({a: {b: true, c: null, d: '1.10', e: [1, 2]}, f: 'x=y', g: 'constructor'})
  for (const wrong of ['x', '=1', '__proto__.a=1', 'a..b=1', 'a:={'])
    expect(() => applyAssignment({}, wrong, convertUntyped)).toThrow(/--set/)
})
