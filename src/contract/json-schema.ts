// Converts the contract's zod schemas to JSON Schema, with every named schema in one shared list of definitions.
import {z} from 'zod'
import type {Shape} from './shape.ts'

// The keywords of a JSON Schema that svc reads.
export interface JsonSchema {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string | string[]
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: string[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  examples?: string[]
  // The known codes of a field that takes others too.
  'x-values-seen'?: string[]
  [keyword: string]: unknown
}

// A conversion takes milliseconds, and a walkthrough masks and validates with the same few schemas many times.
const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>()

// The input side is what is sent. zod's output side would mark every object as closed.
function convertSchema(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema) ?? (z.toJSONSchema(schema, {io: 'input'}) as JsonSchema)
  jsonSchemas.set(schema, known)
  return known
}

function rewriteReferences<T>(node: T, prefix: string): T {
  return JSON.parse(JSON.stringify(node), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', prefix) : value,
  )
}

export type SchemaCollector = ReturnType<typeof createSchemaCollector>

// Schemas with an id become references that start with `prefix`. `definitions` collects what they refer to.
export function createSchemaCollector(prefix: string) {
  const definitions: Record<string, JsonSchema> = {}
  return {
    definitions,
    add(schema: z.ZodType): JsonSchema {
      const {$schema: _, $defs = {}, ...own} = convertSchema(schema)
      for (const [id, definition] of Object.entries($defs)) definitions[id] ??= rewriteReferences(definition, prefix)
      return rewriteReferences(own, prefix)
    },
  }
}

const shapeKeywords = new Set(
  '$ref type properties required items enum format minimum maximum minLength pattern'.split(' '),
)

// An object that allows any field has a shape for them. `false`, which allows none, is the default and is left out.
const isOpenObject = (key: string, value: unknown) => key === 'additionalProperties' && typeof value === 'object'

// Drops descriptions, examples and everything else that validation does not read.
function keepKeywords(node: unknown, isFields = false): unknown {
  if (Array.isArray(node) || typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => isFields || shapeKeywords.has(key) || isOpenObject(key, value))
      .map(([key, value]) => [key, keepKeywords(value, !isFields && key === 'properties')]),
  )
}

export const keepShapeKeywords = (schema: JsonSchema) => keepKeywords(schema) as Shape
