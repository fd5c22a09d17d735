// Adds to each problem about an unknown field the field that was probably meant.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import type {Problem} from '../../contract/problems.ts'
import {findNearest} from '../help/find-nearest.ts'

type Definitions = Readonly<Record<string, JsonSchema>>

// The paths of all fields, with [] for the items of a list.
function listPaths(schema: JsonSchema, definitions: Definitions, at = ''): string[] {
  const {$ref: reference, anyOf = [], oneOf = [], allOf = [], items, properties = {}} = schema
  if (reference) return listPaths(definitions[reference] ?? {}, definitions, at)
  return [
    ...[...anyOf, ...oneOf, ...allOf].flatMap((member) => listPaths(member, definitions, at)),
    ...(items ? listPaths(items, definitions, `${at}[]`) : []),
    ...Object.entries(properties).flatMap(([name, field]) => {
      const path = at === '' ? name : `${at}.${name}`
      return [path, ...listPaths(field, definitions, path)]
    }),
  ]
}

const pathsBySchema = new WeakMap<z.ZodType, readonly string[]>()

function getPaths(schema: z.ZodType): readonly string[] {
  const known = pathsBySchema.get(schema)
  if (known) return known
  const schemas = createSchemaCollector('')
  const own = schemas.add(schema)
  const paths = [...new Set(listPaths(own, schemas.definitions))]
  pathsBySchema.set(schema, paths)
  return paths
}

const splitLast = (path: string): [parent: string, name: string] => {
  const dot = path.lastIndexOf('.')
  return dot === -1 ? ['', path] : [path.slice(0, dot), path.slice(dot + 1)]
}

const getName = (path: string) => splitLast(path)[1]

// The number of steps that two paths have in common.
function countCommonSteps(one: string, other: string): number {
  const [a, b] = [one.split('.'), other.split('.')]
  const at = a.findIndex((step, index) => step !== b[index])
  return at === -1 ? a.length : at
}

// A field inside a list of another part of the body, such as the people of a business, is hardly what was meant.
const isReachable = (path: string, typed: string) => !path.includes('[]') || countCommonSteps(path, typed) > 0

const lowerCased = (names: readonly string[]) => new Map(names.map((name) => [name.toLowerCase(), name]))

function findNearestName(typed: string, names: readonly string[]): string | undefined {
  const byLowerCase = lowerCased(names)
  const exact = byLowerCase.get(typed.toLowerCase())
  if (exact !== undefined) return exact
  const near =
    findNearest(typed.toLowerCase(), [...byLowerCase.keys()]) ?? findLongerName(typed, [...byLowerCase.keys()])
  return near === undefined ? undefined : byLowerCase.get(near)
}

const partLengthMin = 4

// The only name that ends with what was typed, such as sourceCurrency for currency.
function findLongerName(typed: string, names: readonly string[]): string | undefined {
  const longer = names.filter((name) => name.endsWith(typed.toLowerCase()))
  return longer.length === 1 && typed.length >= partLengthMin ? longer[0] : undefined
}

// A field beside it with a similar name, or one elsewhere with the same or a similar name, nearby before far away.
function findNearestPath(path: string, known: readonly string[]): string | undefined {
  const generic = path.replaceAll(/\[\d+\]/g, '[]')
  const [parent, name] = splitLast(generic)
  const beside = known.filter((each) => splitLast(each)[0] === parent)
  const near = findNearestName(name, beside.map(getName))
  if (near !== undefined) return parent === '' ? near : `${parent}.${near}`
  const elsewhere = findNearestName(name, known.map(getName))
  return known
    .filter((each) => getName(each) === elsewhere && isReachable(each, generic))
    .toSorted((a, b) => countCommonSteps(b, generic) - countCommonSteps(a, generic))[0]
}

// Keeps the indexes that were typed, as far as the suggestion goes through the same lists.
function restoreIndexes(suggestion: string, typed: string): string {
  const indexes = [...typed.matchAll(/\[\d+\]/g)].map(([index]) => index)
  return suggestion.replaceAll('[]', () => indexes.shift() ?? '[0]')
}

export function suggestFields(schema: z.ZodType, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => {
    if (problem.kind !== 'unknownField') return problem
    const near = findNearestPath(problem.path, getPaths(schema))
    if (near === undefined) return problem
    return {...problem, message: `${problem.message}; did you mean ${restoreIndexes(near, problem.path)}?`}
  })
}
