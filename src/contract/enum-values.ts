// Lists the values that the interface defines for a field. It reads the frozen contract, so that listing them does not
// load zod.
import {definitions} from './wire.frozen.ts'

export function listEnumValues(entity: string, ...path: readonly string[]): readonly string[] {
  const shape = path.reduce((parent, name) => parent?.properties?.[name], definitions[entity])
  const values = shape?.enum ?? shape?.items?.enum
  if (!values) throw new Error(`the contract lists no values for ${path.join('.')} of ${entity}`)
  return values.map(String)
}
