// The values that a field of an entity may have, read from the frozen contract: whoever only lists them needs no zod.
import {definitions} from './wire.frozen.ts'

export function valuesOf(entity: string, field: string): readonly string[] {
  const values = definitions[entity]?.properties?.[field]?.enum
  if (!values) throw new Error(`the contract lists no values for ${field} of ${entity}`)
  return values as readonly string[]
}
