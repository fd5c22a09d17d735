// Hides what belongs to a person: names, numbers, addresses and papers keep their form and lose their content.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../contract/json-schema.ts'

const dot = '•'
const kilobyte = 1024

function maskText(text: string): string {
  const [, prefix] = /^(data:[a-z0-9.+-]+\/[a-z0-9.+-]+;base64,)/i.exec(text) ?? []
  if (prefix !== undefined) return `${prefix}… (${Math.ceil(text.length / kilobyte)} KB)`
  return text.replaceAll(/[\p{L}\p{N}]/gu, dot)
}

type Definitions = Readonly<Record<string, JsonSchema>>

// Where a field takes any text, only what is written like a code is one.
const codeLike = /^[A-Z\d]+(_[A-Z\d]+)+$/

// Values out of a known set say what kind of thing it is, and nothing of whose it is.
function isCode(value: string, schema: JsonSchema): boolean {
  if (schema['enum'] !== undefined) return true
  const seen = schema['x-values-seen'] as readonly string[] | undefined
  return seen !== undefined && (seen.includes(value.toUpperCase()) || codeLike.test(value))
}

function maskBySchema(value: unknown, schema: JsonSchema | undefined, definitions: Definitions): unknown {
  const reference = schema?.['$ref'] as string | undefined
  if (reference) return maskBySchema(value, definitions[reference], definitions)
  if (typeof value === 'string') return schema && isCode(value, schema) ? value : maskText(value)
  if (Array.isArray(value)) {
    return value.map((item) => maskBySchema(item, schema?.['items'] as JsonSchema | undefined, definitions))
  }
  if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value)) {
    const fields = (schema?.['properties'] ?? {}) as Record<string, JsonSchema>
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        maskBySchema(inner, Object.hasOwn(fields, key) ? fields[key] : undefined, definitions),
      ]),
    )
  }
  return typeof value === 'boolean' || value === null || value === undefined ? value : dot
}

// A body of personal data, fit to be shown. What the schema does not know is hidden as well.
export function maskPersonalData<T>(body: T, schema: z.ZodType): T {
  const schemas = createSchemaCollector('')
  const own = schemas.add(schema)
  return maskBySchema(body, own, schemas.definitions) as T
}
