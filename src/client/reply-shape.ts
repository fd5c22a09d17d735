// Finds the object or the list in a reply that wraps it, or that names it otherwise (docs/assumptions.md, L10).
import {getIdField} from './id-field.ts'
import type {Shape} from '../contract/shape.ts'
import {type WireEndpoint, definitions} from '../contract/wire.frozen.ts'
import {isRecord} from '../values/records.ts'

type Fields = Readonly<Record<string, unknown>>

const depthMax = 3
const fieldsMax = 100

interface Found<T> {
  value: T
  // Where it was found, such as data.customer; empty if the body is the list itself.
  path: string
}

interface Field {
  path: string
  name: string
  value: unknown
  container: Fields
}

// Every field of a body, level by level.
function* walkFields(body: Fields): Generator<Field> {
  let level: Array<[path: string, fields: Fields]> = [['', body]]
  for (let depth = 0; depth < depthMax && level.length > 0; depth++) {
    const inner: typeof level = []
    for (const [outer, container] of level) {
      for (const [name, value] of Object.entries(container).slice(0, fieldsMax)) {
        const path = outer === '' ? name : `${outer}.${name}`
        yield {path, name, value, container}
        if (isRecord(value)) inner.push([path, value])
      }
    }
    level = inner
  }
}

const resolveShape = (shape: Shape | undefined): Shape =>
  shape?.$ref ? (definitions[shape.$ref] ?? {}) : (shape ?? {})

const isPresent = (value: unknown) => value !== undefined && value !== null && value !== ''

// Fewer known fields may be there by chance: an error also has a name, or an id.
const knownFieldsMin = 2

function looksLike(value: unknown, shape: Shape, idField: string): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  if (idField !== 'id' && isPresent(value[idField])) return true
  return (shape.required ?? []).filter((name) => isPresent(value[name])).length >= knownFieldsMin
}

// The object of a reply, if it is not the body itself; undefined if the body is what the interface says, or has none.
export function findWrappedObject(body: unknown, endpoint: WireEndpoint): Found<Record<string, unknown>> | undefined {
  const [shape, idField] = [resolveShape(endpoint.reply), getIdField(endpoint)]
  if (Array.isArray(body)) {
    const [only, ...others] = body as unknown[]
    return others.length === 0 && looksLike(only, shape, idField) ? {value: only, path: 'a list'} : undefined
  }
  if (!isRecord(body) || looksLike(body, shape, idField)) return undefined
  for (const {path, value} of walkFields(body)) {
    const inner: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
    if (looksLike(inner, shape, idField)) return {value: inner, path}
  }
  return undefined
}

// Names of lists whose items cannot be looked at, because there are none.
const listNames = new Set(
  'data items results result records content list values entries rows elements payload response'.split(' '),
)

const normalizeName = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase()

// A list as the interface has it: the list under its key, and the fields that were beside it.
export type FoundList = Found<Record<string, unknown>>

// The list of a reply that does not have it under the key of the interface.
export function findList(body: unknown, endpoint: WireEndpoint, itemsKey: string): FoundList | undefined {
  const shape = resolveShape(resolveShape(endpoint.reply).properties?.[itemsKey]?.items)
  const isListOfItems = (value: unknown): value is unknown[] =>
    Array.isArray(value) && value.every(isRecord) && looksLike(value[0], shape, getIdField(endpoint))
  if (Array.isArray(body)) {
    return body.length === 0 || isListOfItems(body) ? {value: {[itemsKey]: body}, path: ''} : undefined
  }
  if (!isRecord(body)) return undefined
  let empty: FoundList | undefined
  for (const {path, name, value, container} of walkFields(body)) {
    if (!Array.isArray(value)) continue
    // What the envelope has under the key of the interface is not the list.
    const {[name]: _list, [itemsKey]: _other, ...others} = container
    const found = {value: {[itemsKey]: value, ...others}, path}
    if (isListOfItems(value)) return found
    const isList = normalizeName(name) === normalizeName(itemsKey) || listNames.has(normalizeName(name))
    if (value.length === 0 && isList) empty ??= found
  }
  return empty
}
