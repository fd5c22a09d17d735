// Turns the contract's zod schemas into JSON Schema, with every named schema kept once in a common place.
import {z} from 'zod'

export type JsonSchema = Record<string, unknown>

// Schemas with an id become references below `prefix`; what they refer to is collected in `definitions`.
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
    of(schema: z.ZodType): JsonSchema {
      // The input side, since that is what travels: zod's output side marks every object as closed.
      const {$schema: _, $defs = {}, ...own} = z.toJSONSchema(schema, {io: 'input'}) as JsonSchema
      for (const [id, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
        definitions[id] ??= rewrite(definition) as JsonSchema
      }
      return rewrite(own) as JsonSchema
    },
  }
}
