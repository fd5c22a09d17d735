// The contract as plain data, and the one judge over it: quick enough to read every reply without loading zod.

export interface Shape {
  $ref?: string
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Shape>>
  required?: readonly string[]
  // The shape of every value of an object that serves as a map.
  additionalProperties?: Shape
  items?: Shape
  enum?: readonly unknown[]
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
}

export interface Finding {
  path: string
  kind: 'missing' | 'wrong' | 'unknown field' | 'unknown value'
  message: string
}

export const formats: Record<string, {test: RegExp; is: string}> = {
  uuid: {test: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, is: 'a UUID'},
  'date-time': {
    test: /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/,
    is: 'an ISO 8601 date and time',
  },
}

const articles: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

export function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

// Judges a value by a shape. Null counts as absent: services write both for "not there".
export function findingsIn(
  value: unknown,
  shape: Shape,
  definitions: Readonly<Record<string, Shape>> = {},
  path = '',
  found: Finding[] = [],
): Finding[] {
  if (shape.$ref) return findingsIn(value, definitions[shape.$ref] ?? {}, definitions, path, found)
  const say = (kind: Finding['kind'], message: string, at = path) => void found.push({path: at, kind, message})
  const types = typeof shape.type === 'string' ? [shape.type] : (shape.type ?? [])
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    say('wrong', `must be ${articles[types[0] ?? ''] ?? types[0]}`)
    return found
  }
  if (shape.enum && !shape.enum.includes(value)) say('unknown value', `must be one of ${shape.enum.join(', ')}`)
  if (typeof value === 'string') judgeText(value, shape, say)
  if (typeof value === 'number') judgeNumber(value, shape, say)
  if (Array.isArray(value) && shape.items) {
    for (const [index, item] of value.entries()) findingsIn(item, shape.items, definitions, `${path}[${index}]`, found)
  } else if (shape.properties || shape.additionalProperties) {
    judgeFields(value as Record<string, unknown>, shape, definitions, path, found)
  }
  return found
}

type Say = (kind: Finding['kind'], message: string, at?: string) => void

function judgeText(value: string, shape: Shape, say: Say) {
  const format = formats[shape.format ?? '']
  if (format && !format.test.test(value)) say('wrong', `must be ${format.is}`)
  if (shape.minLength !== undefined && value.length < shape.minLength) say('wrong', 'must not be empty')
}

function judgeNumber(value: number, shape: Shape, say: Say) {
  if (shape.minimum !== undefined && value < shape.minimum) say('wrong', `must be at least ${shape.minimum}`)
  if (shape.maximum !== undefined && value > shape.maximum) say('wrong', `must be at most ${shape.maximum}`)
}

function judgeFields(
  value: Record<string, unknown>,
  shape: Shape,
  definitions: Readonly<Record<string, Shape>>,
  path: string,
  found: Finding[],
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
    if (known) findingsIn(inner, known, definitions, at(field), found)
    else found.push({path: at(field), kind: 'unknown field', message: 'is not a field of the interface'})
  }
}
