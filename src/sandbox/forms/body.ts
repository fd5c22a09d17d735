// Makes of what stands in a form the body that a PATCH would carry.
import {readPhoneNumber} from '../../validation/phone.ts'
import {type Entered, lengthOf, otherPrefix, otherValue, textAt} from './entered.ts'
import type {Field, Node} from './fields.ts'

export type Body = Record<string, unknown>

interface Sources {
  entered: Entered
  // Whether earlier data has a list with something in it, which an empty one would take the place of.
  hadItems: (path: string) => boolean
}

const pieces = (text: string, separator: RegExp) =>
  text
    .split(separator)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')

const decimal = /^\d+(\.\d+)?$/

const parentOf = (path: string) => path.replace(/\.[^.]+$/, '')

// Whoever leaves the country code of a phone number out means the country where they live or come from.
function homeOf(entered: Entered, path: string): string | undefined {
  const person = parentOf(path)
  return textAt(entered, `${person}.address.countryCode`) || textAt(entered, `${person}.nationality`) || undefined
}

type Reader = (field: Field, sources: Sources) => unknown

const trimmed: Reader = ({path}, {entered}) => textAt(entered, path).trim() || undefined

function severalCoded({path}: Field, {entered}: Sources): string[] | undefined {
  const chosen = (entered.texts.get(path) ?? []).filter((text) => text !== '' && text !== otherValue)
  const all = [...chosen, ...pieces(textAt(entered, otherPrefix + path), /,/)]
  return all.length > 0 ? all : undefined
}

const readers: Partial<Record<Field['kind'], Reader>> = {
  phone: (field, {entered}) => {
    const text = textAt(entered, field.path).trim()
    return text === '' ? undefined : readPhoneNumber(text, homeOf(entered, field.path))
  },
  number: (field, sources) => {
    const text = trimmed(field, sources)
    return typeof text === 'string' && decimal.test(text) ? Number(text) : text
  },
  'yes-no': (field, sources) => {
    const text = trimmed(field, sources)
    return text === 'true' ? true : text === 'false' ? false : text
  },
  coded: (field, sources) => {
    const text = trimmed(field, sources)
    return text === otherValue ? textAt(sources.entered, otherPrefix + field.path).trim() || undefined : text
  },
  'several-coded': severalCoded,
  lines: ({path}, {entered}) => {
    const lines = (entered.texts.get(path) ?? []).flatMap((text) => pieces(text, /\r?\n/))
    return lines.length > 0 ? lines : undefined
  },
  file: ({path}, {entered}) => entered.files.get(path)?.toDataUri(),
}

const valueOf: Reader = (field, sources) => (readers[field.kind] ?? trimmed)(field, sources)

const keysOf = (path: string) => path.match(/[^.[\]]+/g) ?? []

type Holder = Record<string, unknown>

// Sets what stands at a path, and makes objects and lists on the way.
function place(body: Body, path: string, value: unknown) {
  const keys = keysOf(path)
  let holder: Holder = body
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const isList = /^\d+$/.test(keys[index + 1] ?? '')
    if (!Object.hasOwn(holder, key)) holder[key] = isList ? [] : {}
    const next = holder[key]
    // What nobody asked for may pretend that a text has fields.
    if (typeof next !== 'object' || next === null) return
    holder = next as Holder
  }
  holder[keys.at(-1) ?? ''] = value
}

function fill(body: Body, nodes: readonly Node[], sources: Sources) {
  for (const node of nodes) {
    if (node.is === 'section') fill(body, node.nodes, sources)
    else if (node.is === 'field') {
      const value = valueOf(node, sources)
      if (value !== undefined) place(body, node.path, value)
    } else {
      const length = lengthOf(sources.entered, node.path)
      // A list takes the place of the earlier one, so that one that was emptied is sent, and one that never was is not.
      if (length === 0 && sources.hadItems(node.path)) place(body, node.path, [])
      for (let index = 0; index < length; index++) {
        const item = `${node.path}[${index}]`
        place(body, item, {})
        fill(body, node.nodesOf(item), sources)
      }
    }
  }
}

// What is left empty is left out. What the form does not know is passed on, for the contract to refuse by its name.
export function bodyOf(nodes: readonly Node[], sources: Sources, unknown: ReadonlyMap<string, string>): Body {
  const body: Body = {}
  fill(body, nodes, sources)
  for (const [path, text] of unknown) place(body, path, text)
  return body
}

export function valueAt(holder: unknown, path: string): unknown {
  return keysOf(path).reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Holder)[key] : undefined,
    holder,
  )
}
