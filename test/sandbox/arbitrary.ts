// Generates inputs for an endpoint from its schema: mostly valid ones with existing ids, and some invalid ones.
import * as fc from 'fast-check'
import {type JsonSchema, createSchemaCollector} from '../../src/contract/json-schema.ts'
import type {Endpoint} from '../../src/contract/endpoints.ts'
import {anyCharacter} from '../support/any-character.ts'

// Ids that exist in the sandbox, by field.
export type ExistingIds = Readonly<Record<string, readonly string[]>>

const samples: Record<string, readonly string[]> = {
  uuid: ['7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'],
  date: ['1990-04-23', '2024-02-29', '2999-01-01'],
  'date-time': ['2026-11-15T09:00:00Z'],
  email: ['ada@example.com'],
  uri: ['https://example.com'],
}

// Samples that match a pattern of the contract, found by trying.
const patternSamples = [
  '120.50',
  '0',
  '1000000000',
  '0.000001',
  'US',
  'EG',
  '+15551234567',
  '+447911123456',
  '0 9 * * 1-5',
  '* * * * *',
  'data:image/png;base64,AAAA',
]

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\u0000',
    '\u202e',
    -1,
    0,
    1.5,
    1e21,
    true,
    [],
    {},
    [[]],
    'x'.repeat(300),
    "'; drop table customers; --",
  ),
  fc.string({unit: anyCharacter, maxLength: 20}),
  fc.anything({maxDepth: 2}),
)

function toArbitrary(
  schema: JsonSchema,
  definitions: Record<string, JsonSchema>,
  known: ExistingIds,
  field = '',
): fc.Arbitrary<unknown> {
  const inner = (one: JsonSchema, name = field) => toArbitrary(one, definitions, known, name)
  const sound = (): fc.Arbitrary<unknown> => {
    if (typeof schema['$ref'] === 'string') return inner(definitions[schema['$ref']] ?? {})
    if (Array.isArray(schema['oneOf'])) return fc.oneof(...schema['oneOf'].map((one) => inner(one)))
    if ('const' in schema) return fc.constant(schema['const'])
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
    if (known[field]?.length) return fc.constantFrom(...known[field])
    const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
    if (type === 'object') return toObjectArbitrary(schema, inner)
    if (type === 'array') return fc.array(inner(schema['items'] as JsonSchema), {maxLength: 3})
    if (type === 'boolean') return fc.boolean()
    if (type === 'integer' || type === 'number')
      return fc.integer({min: schema['minimum'] ?? 0, max: schema['maximum'] ?? 100})
    return toTextArbitrary(schema)
  }
  return fc.oneof({weight: 60, arbitrary: sound()}, {weight: 1, arbitrary: junk})
}

function toTextArbitrary(schema: JsonSchema): fc.Arbitrary<unknown> {
  const {format, pattern} = schema as {format?: string; pattern?: string}
  if (format && samples[format]) return fc.constantFrom(...samples[format])
  if (pattern) {
    const fitting = patternSamples.filter((sample) => new RegExp(pattern).test(sample))
    if (fitting.length > 0) return fc.constantFrom(...fitting)
  }
  return fc.constantFrom('Ada', 'USDC', 'USD', 'EUR', 'Harbour Street 12', 'BASE', 'ACH', 'Porto', '62701')
}

function toObjectArbitrary(
  schema: JsonSchema,
  inner: (one: JsonSchema, name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema['properties'] ?? {})
  const required = schema['required'] ?? []
  return fc.record(Object.fromEntries(properties.map(([name, one]) => [name, inner(one, name)])), {
    requiredKeys: required,
  })
}

export interface Parts {
  params?: unknown
  query?: unknown
  headers?: unknown
  body?: unknown
}

export function createInputs(endpoint: Endpoint, known: ExistingIds): fc.Arbitrary<Parts> {
  const schemas = createSchemaCollector('')
  const parts = (['params', 'query', 'headers', 'body'] as const).flatMap((part) => {
    const schema = endpoint[part]
    return schema ? [[part, schemas.add(schema)] as const] : []
  })
  const made: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [part, schema] of parts) made[part] = toArbitrary(schema, schemas.definitions, known)
  return fc.record(made)
}
