// The values that a field of an entity may have, one or a list of them, read from the frozen contract: listing them needs no zod.
import {definitions} from './wire.frozen.ts'

export function valuesOf(entity: string, field: string): readonly string[] {
  const shape = definitions[entity]?.properties?.[field]
  const values = shape?.enum ?? shape?.items?.enum
  if (!values) throw new Error(`the contract lists no values for ${field} of ${entity}`)
  return values as readonly string[]
}
