// Masks the personal data of a customer for display: texts keep their shape and lose their letters and digits.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../contract/json-schema.ts'
import {isRecord} from '../values/records.ts'

const dot = '•'
const kilobyte = 1024

function maskText(text: string): string {
  const [, prefix] = /^(data:[a-z0-9.+-]+\/[a-z0-9.+-]+;base64,)/i.exec(text) ?? []
  if (prefix !== undefined) return `${prefix}… (${Math.ceil(text.length / kilobyte)} KB)`
  return text.replaceAll(/[\p{L}\p{N}]/gu, dot)
}

type Definitions = Readonly<Record<string, JsonSchema>>

const codePattern = /^[A-Z\d]+(_[A-Z\d]+)+$/

// A code such as PASSPORT says nothing about the person, so it stays readable. Where the contract only lists values that
// were seen, other values count as codes if they are written like one.
function isCode(value: string, schema: JsonSchema): boolean {
  if (schema['enum'] !== undefined) return true
  const valuesSeen = schema['x-values-seen']
  return valuesSeen !== undefined && (valuesSeen.includes(value.toUpperCase()) || codePattern.test(value))
}

function maskBySchema(value: unknown, schema: JsonSchema | undefined, definitions: Definitions): unknown {
  const reference = schema?.$ref
  if (reference) return maskBySchema(value, definitions[reference], definitions)
  if (typeof value === 'string') return schema && isCode(value, schema) ? value : maskText(value)
  if (Array.isArray(value)) {
    return value.map((item) => maskBySchema(item, schema?.items, definitions))
  }
  if (isRecord(value)) {
    const fields = schema?.properties ?? {}
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        maskBySchema(inner, Object.hasOwn(fields, key) ? fields[key] : undefined, definitions),
      ]),
    )
  }
  return typeof value === 'boolean' || value === null || value === undefined ? value : dot
}

// Returns a copy of a body that can be shown. Fields that the schema does not name are masked as well.
export function maskPersonalData<T>(body: T, schema: z.ZodType): T {
  const schemas = createSchemaCollector('')
  const reference = schemas.add(schema)
  return maskBySchema(body, reference, schemas.definitions) as T
}
