// The values that a field of an entity may have, one or a list of them, however deep it stands: read from the frozen
// contract, so that whoever only lists them needs no zod.
import {definitions} from './wire.frozen.ts'

export function listEnumValues(entity: string, ...path: readonly string[]): readonly string[] {
  const shape = path.reduce((holder, name) => holder?.properties?.[name], definitions[entity])
  const values = shape?.enum ?? shape?.items?.enum
  if (!values) throw new Error(`the contract lists no values for ${path.join('.')} of ${entity}`)
  return values as readonly string[]
}
