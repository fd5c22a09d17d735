// Adds to each problem about an unknown field the field beside it that was probably meant.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import type {Problem} from '../../contract/problems.ts'
import {lookUp, splitPath} from '../../values/records.ts'
import {expandUnions} from './body.ts'
import {findNearest} from '../help/find-nearest.ts'

// The names of the fields that the object at the path has.
function listNames(schema: z.ZodType, keys: readonly string[]): string[] {
  const schemas = createSchemaCollector('')
  const own = schemas.add(schema)
  const {definitions} = schemas
  const find = ({items, properties = {}}: JsonSchema, key: string) =>
    /^\d+$/.test(key) ? items : lookUp(properties, key)
  const found = keys.reduce(
    (members, key) => members.flatMap((member) => expandUnions(find(member, key) ?? {}, definitions)),
    expandUnions(own, definitions),
  )
  return [...new Set(found.flatMap(({properties = {}}) => Object.keys(properties)))]
}

const partLengthMin = 4

// The same name in another case, one with a few other letters, or the only one that ends with it: sourceCurrency for currency.
function findNearestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]))
  const lower = [...byLowerCase.keys()]
  const longer = wanted.length >= partLengthMin ? lower.filter((name) => name.endsWith(wanted)) : []
  const near = byLowerCase.has(wanted) ? wanted : findNearest(wanted, lower)
  return byLowerCase.get(near ?? (longer.length === 1 ? (longer[0] ?? '') : ''))
}

export function suggestFields(schema: z.ZodType, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => {
    if (problem.kind !== 'unknownField') return problem
    const keys = splitPath(problem.path)
    const name = keys.at(-1) ?? ''
    const near = findNearestName(name, listNames(schema, keys.slice(0, -1)))
    if (near === undefined) return problem
    const meant = `${problem.path.slice(0, -name.length)}${near}`
    return {...problem, message: `${problem.message}; did you mean ${meant}?`}
  })
}
