// Writes the entities and the request bodies of the contract as TypeScript types that need no zod, for programs that import
// svc: entities.ts, bodies.ts and values.ts in src/library. A test compares them, so that they follow the contract.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import {endpointEntries} from '../src/contract/endpoints.ts'
import {issueCodes} from '../src/contract/issue-codes.ts'
import {type JsonSchema, createSchemaCollector} from '../src/contract/json-schema.ts'
import {paymentMethod} from '../src/contract/scalars.ts'
import {root} from './surface.ts'

const folder = path.join(root, 'src/library')

// Enumerations that are used in several places, or that are long.
const namedValues: Readonly<Record<string, readonly unknown[]>> = {
  PaymentMethod: paymentMethod.options,
  IssueCode: issueCodes.map(({code}) => code),
}

interface Schema extends JsonSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  'x-values-seen'?: string[]
}

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

// Other values than these are valid too. An editor still suggests these.
const joinValues = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(' | ')
const openText = (values: readonly unknown[]) => `${joinValues(values)} | (string & {})`

function nameValues(values: readonly unknown[], isOpen: boolean): string {
  const name = Object.keys(namedValues).find((each) => isDeepStrictEqual(namedValues[each], values))
  if (name) return isOpen ? `${name} | (string & {})` : name
  return isOpen ? openText(values) : joinValues(values)
}

// `isOpen` for replies, in which a service may send values that the interface does not list yet.
function toType(schema: Schema, isOpen: boolean): string {
  const {$ref, enum: values, anyOf, oneOf, 'x-values-seen': seen} = schema
  if ($ref !== undefined) return $ref
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const choices = anyOf ?? oneOf
  if (choices) return choices.map((choice) => toType(choice, isOpen)).join(' | ')
  if (values) return nameValues(values, isOpen)
  if (seen) return openText(seen)
  if (schema.type === 'array') return `Array<${schema.items ? toType(schema.items, isOpen) : 'unknown'}>`
  if (schema.properties) return `{\n${toFields(schema, isOpen)}\n}`
  const types = [schema.type ?? []].flat()
  return types.map((type) => scalarTypes[type] ?? 'Record<string, unknown>').join(' | ') || 'unknown'
}

function toFields({properties = {}, required = []}: Schema, isOpen: boolean): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const comment = field.description ? `/** ${field.description} */\n` : ''
      const isRequired = required.includes(name)
      return `${comment}${name}${isRequired ? '' : '?'}: ${toType(field, isOpen)}${isRequired ? '' : ' | undefined'}`
    })
    .join('\n')
}

function toDeclaration(name: string, schema: Schema, isOpen: boolean): string {
  if (schema.properties) return `export interface ${name} {\n${toFields(schema, isOpen)}\n}`
  return `export type ${name} = ${toType(schema, isOpen)}`
}

const declareAll = (definitions: Readonly<Record<string, JsonSchema>>, isOpen: boolean) =>
  Object.entries(definitions).map(([name, schema]) => toDeclaration(name, schema as Schema, isOpen))

// The text of each file. A schema that replies and bodies share is declared with the replies.
function buildTexts(): Record<string, string> {
  const replies = createSchemaCollector('')
  const bodies = createSchemaCollector('')
  for (const {endpoint} of endpointEntries) {
    replies.add(endpoint.reply)
    // A schema becomes a definition where another one refers to it.
    if (endpoint.body) bodies.add(endpoint.body.optional())
  }
  const onlyInBodies = Object.fromEntries(
    Object.entries(bodies.definitions).filter(([name]) => !(name in replies.definitions)),
  )
  const values = Object.entries(namedValues).map(([name, each]) => `export type ${name} = ${joinValues(each)}`)
  return {
    'values.ts': [
      '// Values that the interface lists. Written from the contract by `npm run entities`.',
      ...values,
    ].join('\n\n'),
    'entities.ts': [
      '// The entities that the service replies with. Written from the contract by `npm run entities`.',
      "import type {IssueCode, PaymentMethod} from './values.ts'",
      ...declareAll(replies.definitions, true),
    ].join('\n\n'),
    'bodies.ts': [
      '// The bodies of requests. Written from the contract by `npm run entities`.',
      "import type {PaymentMethod} from './values.ts'",
      ...declareAll(onlyInBodies, false),
    ].join('\n\n'),
  }
}

// Writes the files into a folder, with the formatting of the sources.
export function writeEntityTypes(target: string): void {
  const files = Object.entries(buildTexts()).map(([name, text]) => {
    const file = path.join(target, name)
    fs.writeFileSync(file, `${text}\n`)
    return file
  })
  const args = ['--config', path.join(root, '.oxfmtrc.json'), ...files]
  const {status, stderr} = spawnSync(path.join(root, 'node_modules/.bin/oxfmt'), args, {encoding: 'utf8'})
  if (status !== 0) throw new Error(`oxfmt cannot format the types: ${stderr}`)
}

if (import.meta.main) writeEntityTypes(folder)
