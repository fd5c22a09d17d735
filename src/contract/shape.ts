// The contract as plain data, and its validation. It is fast enough to check every reply, and needs no zod.
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

// Null counts as absent, because services write both for a field that has no value.
export function findShapeProblems(
  value: unknown,
  shape: Shape,
  definitions: Readonly<Record<string, Shape>> = {},
  path = '',
  found: ShapeProblem[] = [],
): ShapeProblem[] {
  if (shape.$ref) return findShapeProblems(value, definitions[shape.$ref] ?? {}, definitions, path, found)
  const report = (kind: ShapeProblem['kind'], message: string, at = path) => void found.push({path: at, kind, message})
  const types = typeof shape.type === 'string' ? [shape.type] : (shape.type ?? [])
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    report('wrong', `must be ${typeLabels[types[0] ?? ''] ?? types[0]}`)
    return found
  }
  if (shape.enum && !shape.enum.includes(value)) report('unknown value', `must be one of ${shape.enum.join(', ')}`)
  if (typeof value === 'string') validateText(value, shape, report)
  if (typeof value === 'number') validateNumber(value, shape, report)
  if (Array.isArray(value) && shape.items) {
    for (const [index, item] of value.entries())
      findShapeProblems(item, shape.items, definitions, `${path}[${index}]`, found)
  } else if (shape.properties || shape.additionalProperties) {
    validateFields(value as Record<string, unknown>, shape, definitions, path, found)
  }
  return found
}

type Report = (kind: ShapeProblem['kind'], message: string, at?: string) => void

function validateText(value: string, shape: Shape, report: Report) {
  const format = formats[shape.format ?? '']
  if (format && !format.test.test(value)) report('wrong', `must be ${format.label}`)
  if (shape.minLength !== undefined && value.length < shape.minLength) report('wrong', 'must not be empty')
}

function validateNumber(value: number, shape: Shape, report: Report) {
  if (shape.minimum !== undefined && value < shape.minimum) report('wrong', `must be at least ${shape.minimum}`)
  if (shape.maximum !== undefined && value > shape.maximum) report('wrong', `must be at most ${shape.maximum}`)
}

export const joinPath = (path: string, field: string): string => (path && field ? `${path}.${field}` : path || field)

function validateFields(
  value: Record<string, unknown>,
  shape: Shape,
  definitions: Readonly<Record<string, Shape>>,
  path: string,
  found: ShapeProblem[],
) {
  for (const field of shape.required ?? []) {
    if (value[field] === undefined || value[field] === null) {
      found.push({path: joinPath(path, field), kind: 'missing', message: 'is missing'})
    }
  }
  for (const [field, inner] of Object.entries(value)) {
    if (inner === undefined || inner === null) continue
    const known = Object.hasOwn(shape.properties ?? {}, field) ? shape.properties?.[field] : shape.additionalProperties
    if (known) findShapeProblems(inner, known, definitions, joinPath(path, field), found)
    else found.push({path: joinPath(path, field), kind: 'unknown field', message: 'is not a field of the interface'})
  }
}

// Checks replies against a shape quickly: the same result as findShapeProblems, without messages and without allocating.

// A shape with its references resolved, so that checking a value looks nothing up.
interface CompiledShape {
  types: readonly string[]
  isText: boolean
  format: RegExp | undefined
  lengthMin: number
  min: number
  max: number
  items: CompiledShape | undefined
  fields: ReadonlyMap<string, CompiledField>
  requiredCount: number
}

interface CompiledField {
  readonly isRequired: boolean
  readonly shape: CompiledShape
}

// A field is compiled when a value has it, since replies have few of the fields that a shape defines.
function createField(isRequired: boolean, compile: () => CompiledShape): CompiledField {
  let compiled: CompiledShape | undefined
  return {
    isRequired,
    get shape() {
      compiled ??= compile()
      return compiled
    },
  }
}

type Definitions = Readonly<Record<string, Shape>>

function resolveShape(
  shape: Shape,
  definitions: Definitions,
  compiledByRef: Map<string, CompiledShape>,
): CompiledShape {
  const {$ref} = shape
  if ($ref === undefined) return compileShape(shape, definitions, compiledByRef)
  const found = compiledByRef.get($ref)
  if (found) return found
  const compiled = compileShape(definitions[$ref] ?? {}, definitions, compiledByRef)
  compiledByRef.set($ref, compiled)
  return compiled
}

function compileShape(
  shape: Shape,
  definitions: Definitions,
  compiledByRef: Map<string, CompiledShape>,
): CompiledShape {
  const {type = [], properties = {}, required = []} = shape
  const names = new Set([...Object.keys(properties), ...required])
  const types = typeof type === 'string' ? [type] : type
  return {
    types,
    isText: types.length === 0 || types.includes('string'),
    format: formats[shape.format ?? '']?.test,
    lengthMin: shape.minLength ?? 0,
    min: shape.minimum ?? Number.NEGATIVE_INFINITY,
    max: shape.maximum ?? Number.POSITIVE_INFINITY,
    items: shape.items && resolveShape(shape.items, definitions, compiledByRef),
    fields: new Map(
      [...names].map((name) => {
        const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
        const compile = () => resolveShape(inner ?? {}, definitions, compiledByRef)
        return [name, createField(required.includes(name), compile)]
      }),
    ),
    requiredCount: required.length,
  }
}

function matchesCompiled(value: unknown, compiled: CompiledShape): boolean {
  if (typeof value === 'string' && compiled.isText) {
    return value.length >= compiled.lengthMin && (compiled.format === undefined || compiled.format.test(value))
  }
  if (!hasAnyType(value, compiled.types)) return false
  if (typeof value === 'number') return value >= compiled.min && value <= compiled.max
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value)
    ? itemsMatch(value, compiled.items)
    : fieldsMatch(value as Record<string, unknown>, compiled)
}

function hasAnyType(value: unknown, types: readonly string[]): boolean {
  if (types.length === 0) return true
  for (const type of types) if (hasType(value, type)) return true
  return false
}

function itemsMatch(values: readonly unknown[], compiled: CompiledShape | undefined): boolean {
  if (compiled) for (const value of values) if (!matchesCompiled(value, compiled)) return false
  return true
}

// Loops over the fields of the value, because replies carry far fewer fields than the shape defines.
function fieldsMatch(value: Record<string, unknown>, {fields, requiredCount}: CompiledShape): boolean {
  let requiredLeft = requiredCount
  for (const name in value) {
    const fieldValue = value[name]
    if (fieldValue === undefined || fieldValue === null) continue
    const field = fields.get(name)
    if (field === undefined) continue
    if (!matchesCompiled(fieldValue, field.shape)) return false
    if (field.isRequired) requiredLeft--
  }
  return requiredLeft === 0
}

const compiledShapes = new WeakMap<Shape, CompiledShape>()

function getCompiledShape(shape: Shape, definitions: Definitions): CompiledShape {
  let compiled = compiledShapes.get(shape)
  if (!compiled) compiledShapes.set(shape, (compiled = resolveShape(shape, definitions, new Map())))
  return compiled
}

// True if nothing is missing and nothing has the wrong type or format. Unknown fields and unknown values of an enumeration
// are allowed. Maps (additionalProperties) are not supported: use findShapeProblems for those.
export function matchesShape(value: unknown, shape: Shape, definitions: Definitions): boolean {
  return matchesCompiled(value, getCompiledShape(shape, definitions))
}
