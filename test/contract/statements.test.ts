// The table of statements.md: every statement of the interface is held somewhere, and what it names exists.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {limits} from '../../src/contract/vocabulary.ts'
import {buildOpenApiDocument} from '../../src/contract/openapi.ts'
import {root} from '../support/svc.ts'
import {splitStatements} from './split-statements.ts'

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  oneOf?: Schema[]
  items?: Schema
}

const document = buildOpenApiDocument('https://api.service.invalid', '1.0.0')
const schemas = document.components.schemas as Record<string, Schema>

// A schema and what it refers to.
function expand(schema: Schema | undefined): Schema[] {
  if (!schema) return []
  const referred = schema.$ref === undefined ? undefined : schemas[schema.$ref.split('/').at(-1) ?? '']
  return [schema, ...[referred, schema.items, ...(schema.oneOf ?? [])].flatMap(expand)]
}

function hasField(dotted: string): boolean {
  const [entity = '', ...names] = dotted.split('.')
  const start = expand(schemas[entity])
  const end = names.reduce((found, name) => found.flatMap((each) => expand(each.properties?.[name])), start)
  return end.length > 0
}

const assumptions = fs.readFileSync(path.join(root, 'docs/assumptions.md'), 'utf8')

function hasTest(reference: string): boolean {
  const [file = '', title = ''] = reference.split(' › ')
  const at = path.join(root, 'test', file)
  return fs.existsSync(at) && fs.readFileSync(at, 'utf8').includes(`'${title}'`)
}

const checks: Record<string, (reference: string) => boolean> = {
  contract: hasField,
  endpoint: (line) => {
    const [method = '', at = ''] = line.split(' ')
    return Object.hasOwn(document.paths[at] ?? {}, method.toLowerCase())
  },
  limit: (name) => Object.hasOwn(limits, name),
  assumption: (id) => assumptions.includes(`\n| ${id} | `),
  test: hasTest,
  // A statement about the document or for people, which no program can hold.
  note: (why) => why !== '',
}

const rows = fs
  .readFileSync(path.join(import.meta.dirname, 'statements.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => {
    const [section = '', text = '', held = ''] = line.slice(2, -2).split(' | ')
    return {section, text, holders: held.split(' + ')}
  })

const interfaceFile = ['../shared', '../../shared']
  .map((folder) => path.join(root, folder, 'service-interface.md'))
  .find((file) => fs.existsSync(file))

describe('every statement of the interface', () => {
  it('is held by something that exists', () => {
    const missing = rows.flatMap(({text, holders}) =>
      holders
        .filter((holder) => {
          const [kind = '', ...reference] = holder.split(' ')
          return !checks[kind]?.(reference.join(' '))
        })
        .map((holder) => `${holder || 'nothing'}: ${text}`),
    )
    expect(missing).toEqual([])
    expect(rows.length).toBeGreaterThan(270)
  })

  it('that says "not shown" has an assumption', () => {
    const open = rows.filter(({text}) => text.includes('not shown'))
    expect(open.length).toBeGreaterThanOrEqual(20)
    expect(open.filter(({holders}) => !holders.some((holder) => holder.startsWith('assumption ')))).toEqual([])
  })

  it.skipIf(interfaceFile === undefined)('is in the table, word for word', () => {
    const described = splitStatements(fs.readFileSync(interfaceFile ?? '', 'utf8'))
    expect(rows.map(({section, text}) => ({section, text}))).toEqual(described)
  })
})
