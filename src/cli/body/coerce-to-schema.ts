// Converts values from YAML files and --set to the types of the contract, which decides whether 02139 is a number or text.
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import type {z} from 'zod'

// A value exactly as it was written, whose type is not decided yet.
export class UntypedText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const wholeOrDecimal = /^[+-]?\d+(\.\d+)?$/

const namedValues: Readonly<Record<string, unknown>> = {true: true, false: false, null: null}

function coerceText({text}: UntypedText, types: ReadonlySet<string>): unknown {
  if (types.has('string')) return text
  if ((types.has('number') || types.has('integer')) && wholeOrDecimal.test(text)) return Number(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  // The contract does not have this field, and validation reports it later.
  if (types.size === 0) return Object.hasOwn(namedValues, text) ? namedValues[text] : text
  return text
}

type Definitions = Readonly<Record<string, JsonSchema>>

// The schema itself and all members of its unions. Validation decides later which member applies.
function expandUnions(schema: JsonSchema, definitions: Definitions): JsonSchema[] {
  const reference = schema['$ref'] as string | undefined
  if (reference) return expandUnions(definitions[reference] ?? {}, definitions)
  const members = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((list) => (list ?? []) as JsonSchema[])
  return [schema, ...members.flatMap((member) => expandUnions(member, definitions))]
}

function coerceToSchemas(value: unknown, schemas: readonly JsonSchema[], definitions: Definitions): unknown {
  const members = schemas.flatMap((schema) => expandUnions(schema, definitions))
  const types = new Set(members.flatMap(({type}) => (type ?? []) as string))
  if (value instanceof UntypedText) return coerceText(value, types)
  // A JSON number with its exact digits, such as 12.50. A field of type number needs only the value.
  if (JSON.isRawJSON(value)) return types.has('number') ? Number(value.rawJSON) : value
  if (Array.isArray(value)) {
    const items = members.flatMap((member): JsonSchema[] => (member['items'] ? [member['items'] as JsonSchema] : []))
    return value.map((item) => coerceToSchemas(item, items, definitions))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const fields = members.flatMap((member): JsonSchema[] => {
        const properties = (member['properties'] ?? {}) as Record<string, JsonSchema>
        const field = Object.hasOwn(properties, key) ? properties[key] : undefined
        return field ? [field] : []
      })
      return [key, coerceToSchemas(inner, fields, definitions)]
    }),
  )
}

// A copy of the value in which every UntypedText has the type of its field.
export function coerceToSchema(value: unknown, schema: z.ZodType): unknown {
  const schemas = createSchemaCollector('')
  const own = schemas.add(schema)
  return coerceToSchemas(value, [own], schemas.definitions)
}
