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

export const formats: Record<string, {test: RegExp; label: string}> = {
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

export function hasType(value: unknown, type: string): boolean {
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

function validateFields(
  value: Record<string, unknown>,
  shape: Shape,
  definitions: Readonly<Record<string, Shape>>,
  path: string,
  found: ShapeProblem[],
) {
  const at = (field: string) => (path ? `${path}.${field}` : field)
  for (const field of shape.required ?? []) {
    if (value[field] === undefined || value[field] === null) {
      found.push({path: at(field), kind: 'missing', message: 'is missing'})
    }
  }
  for (const [field, inner] of Object.entries(value)) {
    if (inner === undefined || inner === null) continue
    const known = Object.hasOwn(shape.properties ?? {}, field) ? shape.properties?.[field] : shape.additionalProperties
    if (known) findShapeProblems(inner, known, definitions, at(field), found)
    else found.push({path: at(field), kind: 'unknown field', message: 'is not a field of the interface'})
  }
}
