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
  if (typeof value === type) return type !== 'object' || (value !== null && !Array.isArray(value))
  if (type === 'integer') return Number.isInteger(value)
  return type === 'null' ? value === null : type === 'array' && Array.isArray(value)
}

interface CheckOptions {
  definitions?: Readonly<Record<string, Shape>>
  // As a request is checked: plain objects without other fields, and patterns. Otherwise, null counts as absent, because services
  // write both for a field that has no value.
  strict?: boolean
}

type Check<T = unknown> = (value: T) => readonly ShapeProblem[]

const none: readonly ShapeProblem[] = []

// A long list has many values of few shapes, so each shape is turned into a function once.
const checks = {strict: new WeakMap<Shape, Check>(), loose: new WeakMap<Shape, Check>()}

function getCheck(shape: Shape, options: CheckOptions): Check {
  const known = options.strict ? checks.strict : checks.loose
  const found = known.get(shape) ?? createCheck(shape, options)
  known.set(shape, found)
  return found
}

// Lists what is wrong with a value. New fields and values have kinds of their own, since a reply may have them.
export const check = (value: unknown, shape: Shape, options: CheckOptions = {}): readonly ShapeProblem[] =>
  getCheck(shape, options)(value)

function createCheck(shape: Shape, options: CheckOptions): Check {
  const {$ref: reference, enum: values, items, properties, additionalProperties} = shape
  if (reference !== undefined) return getCheck(options.definitions?.[reference] ?? {}, options)
  const types = [shape.type ?? []].flat()
  const checkText = createTextCheck(shape, options)
  const checkItems = items && createItemsCheck(getCheck(items, options))
  const checkFields = (properties ?? additionalProperties) && createFieldsCheck(shape, options)
  return (value) => {
    if (types.length > 0 && !types.some((type) => hasType(value, type))) {
      return report('wrong', `must be ${typeLabels[types[0] ?? ''] ?? types[0]}`)
    }
    if (values && !values.includes(value)) return report('unknown value', `must be one of ${values.join(', ')}`)
    if (typeof value === 'string') return checkText(value)
    if (typeof value === 'number') return checkNumber(value, shape)
    if (typeof value !== 'object' || value === null) return none
    if (Array.isArray(value)) return checkItems?.(value) ?? none
    if (options.strict && !isPlainObject(value)) return report('wrong', 'must be a plain object')
    return checkFields?.(value as Record<string, unknown>) ?? none
  }
}

const report = (kind: ShapeProblem['kind'], message: string): ShapeProblem[] => [{path: '', kind, message}]

// A number with all of its digits is an object to JavaScript, without this prototype.
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

function createTextCheck({format: name = '', minLength = 0, pattern}: Shape, {strict}: CheckOptions): Check<string> {
  const format = formats[name]
  const form = strict && pattern !== undefined ? new RegExp(pattern) : undefined
  return (value) => {
    if (format && !format.test.test(value)) return report('wrong', `must be ${format.label}`)
    if (value.length < minLength) return report('wrong', 'must not be empty')
    return form && !form.test(value) ? report('wrong', 'has another form') : none
  }
}

function checkNumber(value: number, {minimum = -Infinity, maximum = Infinity}: Shape) {
  if (value < minimum) return report('wrong', `must be at least ${minimum}`)
  return value > maximum ? report('wrong', `must be at most ${maximum}`) : none
}

export const joinPath = (path: string, field: string): string =>
  path && field && !field.startsWith('[') ? `${path}.${field}` : path + field

// Paths are only written for what is wrong: most values are right.
function addProblems(found: readonly ShapeProblem[], problems: readonly ShapeProblem[], path: string) {
  const all = found === none ? [] : (found as ShapeProblem[])
  // One by one: a list can have more problems than a call can have arguments.
  for (const problem of problems) all.push({...problem, path: joinPath(path, problem.path)})
  return all
}

const createItemsCheck =
  (checkItem: Check): Check<readonly unknown[]> =>
  (values) => {
    let found = none
    for (let index = 0; index < values.length; index++) {
      const problems = checkItem(values[index])
      if (problems !== none) found = addProblems(found, problems, `[${index}]`)
    }
    return found
  }

const missing = report('missing', 'is missing')
const reportUnknown: Check = () => report('unknown field', 'is not a field of the interface')

function createFieldsCheck(
  {properties = {}, required = [], additionalProperties}: Shape,
  options: CheckOptions,
): Check<Record<string, unknown>> {
  const fields = new Map(Object.entries(properties).map(([field, shape]) => [field, getCheck(shape, options)]))
  const checkOther = additionalProperties ? getCheck(additionalProperties, options) : reportUnknown
  const isAbsent = (inner: unknown) => inner === undefined || (inner === null && !options.strict)
  return (value) => {
    let found = none
    for (const field of required) if (isAbsent(value[field])) found = addProblems(found, missing, field)
    for (const field of Object.keys(value)) {
      const inner = value[field]
      const checkField = fields.get(field)
      if (isAbsent(inner) && (checkField || !options.strict)) continue
      const problems = (checkField ?? checkOther)(inner)
      if (problems !== none) found = addProblems(found, problems, field)
    }
    return found
  }
}
