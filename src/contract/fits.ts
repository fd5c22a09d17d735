// The judge of pages by the thousand: the same verdict as the one in shape.ts, without its sentences and without allocating.
import {type Shape, formats, isOfType} from './shape.ts'

// A shape with its references followed and its fields in a row, so that nothing is looked up while judging.
interface Mould {
  types: readonly string[]
  isText: boolean
  format: RegExp | undefined
  lengthMin: number
  min: number
  max: number
  items: Mould | undefined
  fields: ReadonlyArray<{name: string; isRequired: boolean; mould: Mould}>
}

type Definitions = Readonly<Record<string, Shape>>

function mouldOf(shape: Shape, definitions: Definitions, known: Map<string, Mould>): Mould {
  const {$ref} = shape
  if ($ref === undefined) return cast(shape, definitions, known)
  const found = known.get($ref)
  if (found) return found
  const mould = cast(definitions[$ref] ?? {}, definitions, known)
  known.set($ref, mould)
  return mould
}

function cast(shape: Shape, definitions: Definitions, known: Map<string, Mould>): Mould {
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
    items: shape.items && mouldOf(shape.items, definitions, known),
    fields: [...names].map((name) => ({
      name,
      isRequired: required.includes(name),
      mould: mouldOf(Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {}, definitions, known),
    })),
  }
}

function fitsMould(value: unknown, mould: Mould): boolean {
  if (typeof value === 'string' && mould.isText) {
    return value.length >= mould.lengthMin && (mould.format === undefined || mould.format.test(value))
  }
  if (!isOfTypes(value, mould.types)) return false
  if (typeof value === 'number') return value >= mould.min && value <= mould.max
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) ? itemsFit(value, mould.items) : fieldsFit(value as Record<string, unknown>, mould.fields)
}

function isOfTypes(value: unknown, types: readonly string[]): boolean {
  if (types.length === 0) return true
  for (const type of types) if (isOfType(value, type)) return true
  return false
}

function itemsFit(values: readonly unknown[], mould: Mould | undefined): boolean {
  if (mould) for (const value of values) if (!fitsMould(value, mould)) return false
  return true
}

function fieldsFit(holder: Record<string, unknown>, fields: Mould['fields']): boolean {
  for (const field of fields) {
    const value = holder[field.name]
    if (value === undefined || value === null) {
      if (field.isRequired) return false
    } else if (!fitsMould(value, field.mould)) return false
  }
  return true
}

const moulds = new WeakMap<Shape, Mould>()

// Whether there is no breach in a value: nothing is missing, and nothing is wrong. Fields and values that the shape does
// not know are none. Maps (additionalProperties) are for the judge with the sentences.
export function fits(value: unknown, shape: Shape, definitions: Definitions): boolean {
  let mould = moulds.get(shape)
  if (!mould) moulds.set(shape, (mould = mouldOf(shape, definitions, new Map())))
  return fitsMould(value, mould)
}
