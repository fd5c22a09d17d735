// Checks replies against a shape quickly: the same result as findShapeProblems, without messages and without allocating.
import {type Shape, formats, hasType} from './shape.ts'

// A shape with its references resolved, so that checking a value looks nothing up.
export interface CompiledShape {
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

export interface CompiledField {
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

export function getCompiledShape(shape: Shape, definitions: Definitions): CompiledShape {
  let compiled = compiledShapes.get(shape)
  if (!compiled) compiledShapes.set(shape, (compiled = resolveShape(shape, definitions, new Map())))
  return compiled
}

// True if nothing is missing and nothing has the wrong type or format. Unknown fields and unknown values of an enumeration
// are allowed. Maps (additionalProperties) are not supported: use findShapeProblems for those.
export function matchesShape(value: unknown, shape: Shape, definitions: Definitions): boolean {
  return matchesCompiled(value, getCompiledShape(shape, definitions))
}
