// Builds the request body from the values of a form, as a PATCH would carry it.
import {normalizePhoneNumber} from '../../values/identifiers.ts'
import {type FormValues, countItems, otherPrefix, otherValue, getText} from './form-values.ts'
import type {Field, Node} from './fields.ts'
import {splitPath} from '../../values/records.ts'

export type Body = Record<string, unknown>

interface BodySources {
  values: FormValues
  // Whether the earlier data has items in this list, so that an empty list has to be sent to remove them.
  hadItems: (path: string) => boolean
}

const splitText = (text: string, separator: RegExp) =>
  text
    .split(separator)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')

const decimal = /^\d+(\.\d+)?$/

const getParentPath = (path: string) => path.replace(/\.[^.]+$/, '')

// A phone number without a country code is read as one of the country of residence, or else of the nationality.
function findHomeCountry(values: FormValues, path: string): string | undefined {
  const person = getParentPath(path)
  return getText(values, `${person}.address.countryCode`) || getText(values, `${person}.nationality`) || undefined
}

type Reader = (field: Field, sources: BodySources) => unknown

const readTrimmed: Reader = ({path}, {values}) => getText(values, path).trim() || undefined

function readSeveralCodes({path}: Field, {values}: BodySources): string[] | undefined {
  const chosen = (values.texts.get(path) ?? []).filter((text) => text !== '' && text !== otherValue)
  const all = [...chosen, ...splitText(getText(values, otherPrefix + path), /,/)]
  return all.length > 0 ? all : undefined
}

const readers: Partial<Record<Field['kind'], Reader>> = {
  phone: (field, {values}) => {
    const text = getText(values, field.path).trim()
    return text === '' ? undefined : normalizePhoneNumber(text, findHomeCountry(values, field.path))
  },
  number: (field, sources) => {
    const text = readTrimmed(field, sources)
    return typeof text === 'string' && decimal.test(text) ? Number(text) : text
  },
  'yes-no': (field, sources) => {
    const text = readTrimmed(field, sources)
    return text === 'true' ? true : text === 'false' ? false : text
  },
  coded: (field, sources) => {
    const text = readTrimmed(field, sources)
    return text === otherValue ? getText(sources.values, otherPrefix + field.path).trim() || undefined : text
  },
  'several-coded': readSeveralCodes,
  lines: ({path}, {values}) => {
    const lines = (values.texts.get(path) ?? []).flatMap((text) => splitText(text, /\r?\n/))
    return lines.length > 0 ? lines : undefined
  },
  file: ({path}, {values}) => values.files.get(path)?.toDataUri(),
}

const readValue: Reader = (field, sources) => (readers[field.kind] ?? readTrimmed)(field, sources)

type Container = Record<string, unknown>

// Sets the value at a path and creates the objects and lists on the way.
function setAtPath(body: Body, path: string, value: unknown) {
  const keys = splitPath(path)
  let container: Container = body
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const isList = /^\d+$/.test(keys[index + 1] ?? '')
    if (!Object.hasOwn(container, key)) container[key] = isList ? [] : {}
    const next = container[key]
    // A forged field name can go through a value that is not an object.
    if (typeof next !== 'object' || next === null) return
    container = next as Container
  }
  container[keys.at(-1) ?? ''] = value
}

function fillBody(body: Body, nodes: readonly Node[], sources: BodySources) {
  for (const node of nodes) {
    if (node.is === 'section') fillBody(body, node.nodes, sources)
    else if (node.is === 'field') {
      const value = readValue(node, sources)
      if (value !== undefined) setAtPath(body, node.path, value)
    } else {
      const length = countItems(sources.values, node.path)
      // A list replaces the earlier one, so an emptied list is sent, and a list that was always empty is not.
      if (length === 0 && sources.hadItems(node.path)) setAtPath(body, node.path, [])
      for (let index = 0; index < length; index++) {
        const item = `${node.path}[${index}]`
        setAtPath(body, item, {})
        fillBody(body, node.createNodes(item), sources)
      }
    }
  }
}

// Empty fields are left out. Fields that the form does not have are passed on, so that the contract rejects them by name.
export function buildBody(nodes: readonly Node[], sources: BodySources, unknown: ReadonlyMap<string, string>): Body {
  const body: Body = {}
  fillBody(body, nodes, sources)
  for (const [path, text] of unknown) setAtPath(body, path, text)
  return body
}

export function getAtPath(container: unknown, path: string): unknown {
  return splitPath(path).reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Container)[key] : undefined,
    container,
  )
}
