// Converts the contract's zod schemas to JSON Schema, with every named schema in one shared list of definitions.
import {z} from 'zod'

export type JsonSchema = Record<string, unknown>

// A conversion takes milliseconds, and a walkthrough masks and validates with the same few schemas many times.
const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>()

// The input side is what is sent. zod's output side would mark every object as closed.
function convertSchema(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema) ?? z.toJSONSchema(schema, {io: 'input'})
  jsonSchemas.set(schema, known)
  return known
}

export type SchemaCollector = ReturnType<typeof createSchemaCollector>

// Schemas with an id become references that start with `prefix`. `definitions` collects what they refer to.
export function createSchemaCollector(prefix: string) {
  const definitions: Record<string, JsonSchema> = {}
  const rewrite = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(rewrite)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) =>
        key === '$ref' ? [key, (value as string).replace('#/$defs/', prefix)] : [key, rewrite(value)],
      ),
    )
  }
  return {
    definitions,
    add(schema: z.ZodType): JsonSchema {
      const {$schema: _, $defs = {}, ...own} = convertSchema(schema)
      for (const [id, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
        definitions[id] ??= rewrite(definition) as JsonSchema
      }
      return rewrite(own) as JsonSchema
    },
  }
}
