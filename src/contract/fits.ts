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
  fields: ReadonlyMap<string, Field>
  requiredCount: number
}

interface Field {
  isRequired: boolean
  mould: Mould
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
    fields: new Map(
      [...names].map((name) => {
        const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
        return [name, {isRequired: required.includes(name), mould: mouldOf(inner ?? {}, definitions, known)}]
      }),
    ),
    requiredCount: required.length,
  }
}

function fitsMould(value: unknown, mould: Mould): boolean {
  if (typeof value === 'string' && mould.isText) {
    return value.length >= mould.lengthMin && (mould.format === undefined || mould.format.test(value))
  }
  if (!isOfTypes(value, mould.types)) return false
  if (typeof value === 'number') return value >= mould.min && value <= mould.max
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) ? itemsFit(value, mould.items) : fieldsFit(value as Record<string, unknown>, mould)
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

// The fields that are there are gone through, since far fewer are there than could be.
function fieldsFit(holder: Record<string, unknown>, {fields, requiredCount}: Mould): boolean {
  let requiredLeft = requiredCount
  for (const name in holder) {
    const value = holder[name]
    if (value === undefined || value === null) continue
    const field = fields.get(name)
    if (field === undefined) continue
    if (!fitsMould(value, field.mould)) return false
    if (field.isRequired) requiredLeft--
  }
  return requiredLeft === 0
}

const moulds = new WeakMap<Shape, Mould>()

// Whether there is no breach in a value: nothing is missing, and nothing is wrong. Fields and values that the shape does
// not know are none. Maps (additionalProperties) are for the judge with the sentences.
export function fits(value: unknown, shape: Shape, definitions: Definitions): boolean {
  let mould = moulds.get(shape)
  if (!mould) moulds.set(shape, (mould = mouldOf(shape, definitions, new Map())))
  return fitsMould(value, mould)
}
