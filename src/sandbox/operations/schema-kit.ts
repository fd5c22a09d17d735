// What the schemas of control are made of. Only what needs a schema loads it: a server that is asked, the OpenAPI document, a test.
import {z} from 'zod'
import {account} from '../../contract/accounts.ts'
import {customer} from '../../contract/customers.ts'
import {text, timestamp} from '../../contract/scalars.ts'
import {transaction} from '../../contract/transactions.ts'
import {durationPattern, formatDuration, readDurationMs} from '../../values/time.ts'
import {idempotencyPattern} from '../service/faults/behaviours.ts'
import type {Field, Fields} from './fields.ts'
import {type ResultField, type ResultFields, type ResultName, results} from '../../sandbox-results.ts'

const countMax = Number.MAX_SAFE_INTEGER

const count = ({min = 0, max = countMax}: Partial<Field>) => z.int().min(min).max(max)

// How each type of field is written in a request to control.
const fieldSchemas: Readonly<Record<Field['type'], (field: Field) => z.ZodType>> = {
  text: () => text,
  texts: () => z.array(z.string()),
  choice: ({choices = []}) => z.enum(choices),
  boolean: () => z.boolean(),
  count,
  share: () => z.number().gt(0).max(1),
  amount: () => z.string('must be a decimal number in quotes, such as "100.50"').meta({examples: ['100.50']}),
  time: () => timestamp,
  duration: ({max = countMax}) =>
    z
      .string()
      .regex(durationPattern, 'must be a duration, such as 30s, 5m, 2h or 7d')
      .refine((duration) => (readDurationMs(duration) ?? 0) <= max, `is too long: ${formatDuration(max)} at most`),
  milliseconds: (field) => count({min: 1, ...field}),
  seconds: count,
  idempotency: () =>
    z
      .string()
      .regex(
        idempotencyPattern,
        'must be replay, ignore, per-body, forget-after-30m or another one of the documentation',
      ),
}

function createFieldSchema(field: Field): z.ZodType {
  const schema = fieldSchemas[field.type](field)
  return (field.isRequired ? schema : schema.optional()).describe(field.says)
}

const mapFields = <T>(fields: Fields, toValue: (field: Field) => T) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toValue(field)]))

// Unknown fields are rejected, so that a misspelt one is noticed.
export const createInputSchema = (fields: Fields = {}) => z.strictObject(mapFields(fields, createFieldSchema))

// The same fields as a result, which has all of them.
const createResultObject = (fields: Fields) =>
  createInputSchema(mapFields(fields, (field) => ({...field, isRequired: true})))

const resultSchemas: Readonly<Record<ResultField['type'], (field: ResultField) => z.ZodType>> = {
  text: () => z.string(),
  sentence: () => z.string(),
  address: () => z.string(),
  id: () => z.string(),
  count: () => z.int(),
  number: () => z.number(),
  ms: () => z.number(),
  boolean: () => z.boolean(),
  true: () => z.literal(true),
  time: () => timestamp,
  minute: () => timestamp,
  status: ({choices = []}) => z.enum(choices),
  any: () => z.unknown(),
}

function createResultField(field: ResultField): z.ZodType {
  const schema = resultSchemas[field.type](field)
  const own = field.isOptional ? schema.optional() : schema
  return field.says === undefined ? own : own.describe(field.says)
}

const made = new Map<ResultName, z.ZodType>()

// A schema is made once, since the OpenAPI document knows it by its id.
function createResult(name: ResultName): z.ZodType {
  const fields: ResultFields = results[name]
  const shape = Object.entries(fields).map(([field, definition]) => [field, createResultField(definition)] as const)
  const schema = made.get(name) ?? z.strictObject(Object.fromEntries(shape)).meta({id: name})
  made.set(name, schema)
  return schema
}

const schemaKit = {z, account, customer, text, timestamp, transaction, createResult, createResultObject}

export const createOutputSchema = (output: ResultName | ((kit: SchemaKit) => z.ZodType)): z.ZodType =>
  typeof output === 'string' ? createResult(output) : output(schemaKit)

export type SchemaKit = typeof schemaKit
