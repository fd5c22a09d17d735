// The values that a field of an entity may have, however deep it stands, read from the frozen contract: whoever only lists them needs no zod.
import {definitions} from './wire.frozen.ts'

export function valuesOf(entity: string, ...path: readonly string[]): readonly string[] {
  const field = path.reduce((shape, name) => shape?.properties?.[name], definitions[entity])
  const values = field?.enum
  if (!values) throw new Error(`the contract lists no values for ${path.join('.')} of ${entity}`)
  return values as readonly string[]
}
