// The bodies of the two requests of a payment as plain data, derived from the zod contract. The build evaluates this file and
// stores the result, so that a payment does not load zod.
import {amountPattern} from './vocabulary.ts'
import {type JsonSchema, createSchemaCollector} from './json-schema.ts'
import {quoteCreate} from './quotes.ts'
import {transactionCreate} from './transactions.ts'

export interface BodyShape {
  type: 'object' | 'string' | 'boolean'
  // Of an object, which has no other fields.
  properties?: Readonly<Record<string, BodyShape>>
  required?: readonly string[]
  enum?: readonly string[]
  minLength?: number
  isUuid?: true
  isAmount?: true
}

// What says nothing about whether a value is valid.
const annotations = new Set(['description', 'examples'])

// match-body.ts knows no other conditions than these. A contract that has another one must not be checked by it.
const conditions: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => value === 'object' || value === 'string' || value === 'boolean',
  properties: () => true,
  required: () => true,
  // Only objects without other fields are checked, so it need not be stored.
  additionalProperties: (value) => value === false,
  enum: () => true,
  format: (value) => value === 'uuid',
  minLength: () => true,
  pattern: (value) => value === amountPattern.source,
}

function toBodyShape(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): BodyShape {
  const reference = schema['$ref']
  if (typeof reference === 'string') return toBodyShape(definitions[reference] ?? {}, definitions)
  for (const [keyword, value] of Object.entries(schema)) {
    if (annotations.has(keyword) || conditions[keyword]?.(value)) continue
    throw new Error(`match-body.ts does not know the condition ${keyword}: ${JSON.stringify(value)}`)
  }
  const {type, properties, required, enum: values, format, minLength, pattern} = schema
  return {
    type,
    ...(type === 'object' && {
      required,
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, JsonSchema>).map(([name, inner]) => [
          name,
          toBodyShape(inner, definitions),
        ]),
      ),
    }),
    ...(values !== undefined && {enum: values}),
    ...(minLength !== undefined && {minLength}),
    ...(format !== undefined && {isUuid: true}),
    ...(pattern !== undefined && {isAmount: true}),
  } as BodyShape
}

const schemas = createSchemaCollector('')
const own = {'quotes.create': schemas.add(quoteCreate), 'transactions.create': schemas.add(transactionCreate)}

// By the name of the endpoint.
export const paymentBodies: Readonly<Record<string, BodyShape>> = Object.fromEntries(
  Object.entries(own).map(([name, schema]) => [name, toBodyShape(schema, schemas.definitions)]),
)
