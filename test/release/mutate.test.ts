// A mutation run of a small project: it plants faults of every kind that it names, and shows those that no test notices.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {expect, it, onTestFinished} from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

const files = {
  'package.json': '{"type": "module"}',
  'src/limit.ts': `interface Limit {max: number; except?: readonly string[]}

const label = 'limit'
const sentence = 'this is more than the limit of the day'

export function judge(amount: number, to: string, {max, except = []}: Limit): string[] {
  const allowed = Math.min(max, 100)
  if (amount <= allowed || except.some((name) => name === to)) return []
  return [label, sentence]
}

export const add = (one: number, other: number) => one + other
`,
  'test/limit.test.ts': `import {expect, it} from 'vitest'
import {add, judge} from '../src/limit.ts'

it('adds', () => expect(add(1, 2)).toBe(3))
it('refuses more than the limit', () => {
  expect(judge(11, 'bank', {max: 10})).toMatchObject(['limit', expect.anything()])
  expect(judge(11, 'bank', {max: 10, except: ['bank', 'shop']})).toEqual([])
  expect(judge(101, 'bank', {max: 200})).toHaveLength(2)
  expect(judge(9, 'bank', {max: 10})).toEqual([])
})
`,
  'vitest.config.ts': `export default {
  test: {include: ['test/*.test.ts'], pool: 'forks', server: {deps: {external: [/src/]}}},
}
`,
  'scripts/mutate/equivalents.json': JSON.stringify([
    {
      file: 'src/limit.ts',
      before: 'export function judge(amount: number, to: string, {max, except = []}: Limit): string[] {',
      after:
        'export function judge(amount: number, to: string, {max, except = ["Stryker was here"]}: Limit): string[] {',
      why: 'no account has this name',
    },
    {file: 'src/limit.ts', before: 'a line of an earlier version', after: '', why: 'it is gone'},
  ]),
}

interface Report {
  kinds: Record<string, number>
  equivalent: number
  survivors: Array<{place: string; kind: string; after: string}>
}

it('shows the faults that no test notices, and equivalents whose line is gone', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-mutated-'))
  onTestFinished(() => fs.rmSync(folder, {recursive: true}))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), {recursive: true})
    fs.writeFileSync(path.join(folder, name), text)
  }
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))

  const args = ['--files', 'src/limit.ts', '--tests', 'vitest.config.ts', '--processes', '1', '--out', 'report.json']
  const {status, stdout, stderr} = spawnSync(process.execPath, [path.join(root, 'scripts/mutate.ts'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect({status, stderr}).toEqual({status: 1, stderr: ''})

  const {kinds, equivalent, survivors} = JSON.parse(fs.readFileSync(path.join(folder, 'report.json'), 'utf8')) as Report
  expect(Object.keys(kinds).toSorted()).toEqual([
    'ArithmeticOperator',
    'ArrayDeclaration',
    'ArrowFunction',
    'BlockStatement',
    'ConditionalExpression',
    'EqualityOperator',
    'LogicalOperator',
    'MethodExpression',
    // The label, not the sentence.
    'StringLiteral',
  ])
  expect(kinds).toMatchObject({StringLiteral: 1})
  expect(equivalent).toBe(1)
  const line = (condition: string) => `if (${condition}) return []`
  expect(survivors).toMatchObject([
    {
      place: 'src/limit.ts:8',
      kind: 'EqualityOperator',
      after: line('amount < allowed || except.some((name) => name === to)'),
    },
    {after: line('amount <= allowed || except.some((name) => true)')},
    {after: line('amount <= allowed || except.some((name) => name !== to)')},
  ])
  expect(stdout).toContain('a line of an earlier version')
  // Nothing is left of the copies in which the faults were planted.
  const planned = new Set(Object.keys(files).map((name) => name.split('/')[0]))
  expect(fs.readdirSync(folder).filter((name) => !planned.has(name))).toEqual(['node_modules', 'report.json'])
})
