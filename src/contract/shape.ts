// The contract as plain data, and the one check of a value against it. It is fast enough for every reply, and needs no zod.
import {uuidPattern} from './ids.ts'

export interface Shape {
  $ref?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Shape>>
  required?: readonly string[]
  // The shape of the values of an object that is used as a map.
  additionalProperties?: Shape
  items?: Shape
  enum?: readonly unknown[]
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  // Only checked strictly: what a service sends may have another form than what it takes.
  pattern?: string
}

export interface ShapeProblem {
  path: string
  kind: 'missing' | 'wrong' | 'unknown field' | 'unknown value'
  message: string
}

const formats: Record<string, {test: RegExp; label: string}> = {
  uuid: {test: uuidPattern, label: 'a UUID'},
  'date-time': {
    test: /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/,
    label: 'an ISO 8601 date and time',
  },
}

const typeLabels: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

interface CheckOptions {
  definitions?: Readonly<Record<string, Shape>>
  // As a request is checked: plain objects without other fields, and patterns. Otherwise, null counts as absent, because services
  // write both for a field that has no value.
  strict?: boolean
}

const none: readonly ShapeProblem[] = []

// Lists what is wrong with a value. New fields and values have kinds of their own, since a reply may have them.
export function check(value: unknown, shape: Shape, options: CheckOptions = {}): readonly ShapeProblem[] {
  if (shape.$ref !== undefined) return check(value, options.definitions?.[shape.$ref] ?? {}, options)
  const {type} = shape
  const isRight =
    type === undefined || (typeof type === 'string' ? hasType(value, type) : type.some((one) => hasType(value, one)))
  if (!isRight) {
    const [first = ''] = typeof type === 'string' ? [type] : type
    return report('wrong', `must be ${typeLabels[first] ?? first}`)
  }
  if (shape.enum && !shape.enum.includes(value)) {
    return report('unknown value', `must be one of ${shape.enum.join(', ')}`)
  }
  if (typeof value === 'string') return checkText(value, shape, options)
  if (typeof value === 'number') return checkNumber(value, shape)
  if (typeof value !== 'object' || value === null) return none
  if (Array.isArray(value)) return shape.items ? checkItems(value, shape.items, options) : none
  if (options.strict && !isPlainObject(value)) return report('wrong', 'must be a plain object')
  return shape.properties || shape.additionalProperties
    ? checkFields(value as Record<string, unknown>, shape, options)
    : none
}

const report = (kind: ShapeProblem['kind'], message: string, path = ''): ShapeProblem[] => [{path, kind, message}]

// A number with all of its digits is an object to JavaScript, without this prototype.
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const patterns = new Map<string, RegExp>()

function matchesPattern(text: string, source: string): boolean {
  const pattern = patterns.get(source) ?? new RegExp(source)
  patterns.set(source, pattern)
  return pattern.test(text)
}

function checkText(value: string, {format: name = '', minLength = 0, pattern}: Shape, {strict}: CheckOptions) {
  const format = formats[name]
  if (format && !format.test.test(value)) return report('wrong', `must be ${format.label}`)
  if (value.length < minLength) return report('wrong', 'must not be empty')
  if (strict && pattern !== undefined && !matchesPattern(value, pattern)) return report('wrong', 'has another form')
  return none
}

function checkNumber(value: number, {minimum = -Infinity, maximum = Infinity}: Shape) {
  if (value < minimum) return report('wrong', `must be at least ${minimum}`)
  return value > maximum ? report('wrong', `must be at most ${maximum}`) : none
}

export const joinPath = (path: string, field: string): string =>
  path && field && !field.startsWith('[') ? `${path}.${field}` : path + field

// Paths are only written for what is wrong: most values are right.
function checkItems(values: readonly unknown[], shape: Shape, options: CheckOptions): readonly ShapeProblem[] {
  const found: ShapeProblem[] = []
  for (const [index, value] of values.entries()) {
    const problems = check(value, shape, options)
    for (const problem of problems) found.push({...problem, path: joinPath(`[${index}]`, problem.path)})
  }
  return found
}

function checkFields(
  value: Record<string, unknown>,
  {properties = {}, required = [], additionalProperties}: Shape,
  options: CheckOptions,
): readonly ShapeProblem[] {
  const isAbsent = (inner: unknown) => inner === undefined || (inner === null && !options.strict)
  const found: ShapeProblem[] = []
  for (const field of required) {
    if (isAbsent(value[field])) found.push({path: field, kind: 'missing', message: 'is missing'})
  }
  for (const field of Object.keys(value)) {
    const inner = value[field]
    if (isAbsent(inner) && !(options.strict && !Object.hasOwn(properties, field))) continue
    const known = Object.hasOwn(properties, field) ? properties[field] : additionalProperties
    const problems = known ? check(inner, known, options) : report('unknown field', 'is not a field of the interface')
    // One by one: a list can have more problems than a call can have arguments.
    for (const problem of problems) found.push({...problem, path: joinPath(field, problem.path)})
  }
  return found
}
