// The values of a form: texts and files by the names of their fields. They come from a browser or from earlier data.
import {type Body, getValue} from '../../values/body-paths.ts'
import {splitPath} from '../../values/records.ts'
import {normalizePhoneNumber} from '../../values/identifiers.ts'
import {type Field, type List, type Node, createFinder, findHomeCountry, getParentPath} from '../../forms/fields.ts'
import type {OpenedForm} from './hosted-form.ts'

// The interface takes a file as a data URI. The page of a form that was not accepted carries it along, so that the user need not
// choose it again; of a file that was submitted earlier it carries only the path.
export interface FormFile {
  uri: string
  reference: string
}

export interface FormValues {
  texts: ReadonlyMap<string, readonly string[]>
  files: ReadonlyMap<string, FormFile>
}

export interface FormAction {
  name: 'submit' | 'add' | 'remove'
  // The list to add to, or the item to remove.
  path: string
}

// What a browser posts.
export interface PostedForm {
  action: FormAction
  texts: Map<string, string[]>
  // By the path of the field: a new file, or a reference to one that the page had already.
  files: Map<string, string>
  // Values whose name is not a field of the form.
  unknown: Map<string, string>
}

// Prefix of the field in which the user types a code that is not in the list.
export const otherPrefix = 'other:'
// The option that a user selects to type such a code.
export const otherValue = 'other:'

const earlierPrefix = 'earlier:'

// Limits the items of a list, so that a forged index cannot create a huge form.
export const itemsMax = 50

const listNames = ({texts, files}: FormValues) => [...texts.keys(), ...files.keys()]

// The path of the field that a name of a form belongs to.
const toFieldPath = (name: string) => (name.startsWith(otherPrefix) ? name.slice(otherPrefix.length) : name)

export const getText = ({texts}: FormValues, path: string): string => texts.get(path)?.[0] ?? ''

// The index in a name such as list[2].field, or undefined if the name is not inside the list.
function findItemIndex(list: string, name: string): number | undefined {
  const path = toFieldPath(name)
  if (!path.startsWith(`${list}[`)) return undefined
  const end = path.indexOf(']', list.length)
  return Number(path.slice(list.length + 1, end))
}

export const countItems = (values: FormValues, list: string): number =>
  Math.min(itemsMax, 1 + listNames(values).reduce((last, name) => Math.max(last, findItemIndex(list, name) ?? -1), -1))

// The paths of the items of a list.
export const listItems = (values: FormValues, list: string): string[] =>
  Array.from({length: countItems(values, list)}, (_, index) => `${list}[${index}]`)

// Renames fields; those without a new name are removed.
function renameFields(values: FormValues, rename: (name: string) => string | undefined): FormValues {
  const change = <T>(map: ReadonlyMap<string, T>) =>
    new Map(
      [...map].flatMap(([name, value]): [string, T][] => {
        const next = rename(name)
        return next === undefined ? [] : [[next, value]]
      }),
    )
  return {texts: change(values.texts), files: change(values.files)}
}

// The following items move up by one.
function removeItem(values: FormValues, list: string, index: number): FormValues {
  return renameFields(values, (name) => {
    const at = findItemIndex(list, name)
    if (at === undefined || at < index) return name
    if (at === index) return undefined
    return name.replace(`${list}[${at}]`, `${list}[${at - 1}]`)
  })
}

const setTexts = (values: FormValues, name: string, texts: readonly string[]): FormValues => ({
  ...values,
  texts: new Map(values.texts).set(name, texts),
})

// An empty entry under the item's own name makes the item exist. Fields with a closed list of values start with the
// first one.
function addItem(values: FormValues, {path, createNodes}: List): FormValues {
  const item = `${path}[${countItems(values, path)}]`
  const nodes = createNodes(item)
  const chosen = nodes.filter((node): node is Field => node.is === 'field' && node.kind === 'one-of')
  const started = chosen.reduce(
    (current, field) => setTexts(current, field.path, (field.values ?? []).slice(0, 1)),
    setTexts(values, item, []),
  )
  return addFirstItems(started, nodes)
}

// Shows one empty item in every empty list.
export function addFirstItems(values: FormValues, nodes: readonly Node[]): FormValues {
  return nodes.reduce((current, node): FormValues => {
    if (node.is === 'section') return addFirstItems(current, node.nodes)
    if (node.is === 'field') return current
    const items = listItems(current, node.path)
    if (items.length === 0) return addItem(current, node)
    return items.reduce((within, item) => addFirstItems(within, node.createNodes(item)), current)
  }, values)
}

// A value from a closed list does not count, because the form preselects it.
export function isBlank(values: FormValues, nodes: readonly Node[]): boolean {
  return nodes.every((node) => {
    if (node.is === 'section') return isBlank(values, node.nodes)
    if (node.is === 'list') return countItems(values, node.path) === 0
    if (values.files.has(node.path)) return false
    const texts = values.texts.get(node.path) ?? []
    return node.kind === 'one-of' || texts.every((text) => text.trim() === '')
  })
}

export function removeBlankItems(values: FormValues, nodes: readonly Node[]): FormValues {
  return nodes.reduce((current, node): FormValues => {
    if (node.is === 'section') return removeBlankItems(current, node.nodes)
    if (node.is === 'field') return current
    let rest = current
    for (let index = countItems(current, node.path) - 1; index >= 0; index--) {
      const inner = node.createNodes(`${node.path}[${index}]`)
      rest = removeBlankItems(rest, inner)
      if (isBlank(rest, inner)) rest = removeItem(rest, node.path, index)
    }
    return rest
  }, values)
}

// Converts earlier data to the values that a user would have entered.
export function readEarlierValues({earlier, root, nodes}: OpenedForm): FormValues {
  const find = createFinder(nodes)
  const texts = new Map<string, readonly string[]>()
  const files = new Map<string, FormFile>()
  const readValue = (value: unknown, path: string): void => {
    const node = find(path)
    if (Array.isArray(value)) {
      if (node?.is === 'list') return value.forEach((item, index) => readValue(item, `${path}[${index}]`))
      return readTexts(value.map(String), path, node)
    }
    if (typeof value === 'object' && value !== null) {
      if (path.endsWith(']')) texts.set(path, [])
      for (const [name, inner] of Object.entries(value)) readValue(inner, path === '' ? name : `${path}.${name}`)
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      readTexts([String(value)], path, node)
    }
  }
  const readTexts = (stored: readonly string[], path: string, node: Field | List | undefined) => {
    const field = node?.is === 'field' ? node : undefined
    if (field?.kind === 'file') {
      files.set(path, {uri: stored[0] ?? '', reference: earlierPrefix + path})
      return
    }
    const isOpen = field?.kind === 'coded' || field?.kind === 'several-coded'
    const others = isOpen ? stored.filter((text) => !field.values?.includes(text)) : []
    texts.set(path, others.length === 0 ? stored : [...stored.filter((text) => !others.includes(text)), otherValue])
    if (others.length > 0) texts.set(otherPrefix + path, [others.join(', ')])
  }
  readValue(earlier, root)
  return {texts, files}
}

export function readPostedValues(opened: OpenedForm, {texts, files}: PostedForm): FormValues {
  const earlier = readEarlierValues(opened)
  const found = [...files].flatMap(([path, reference]): [string, FormFile][] => {
    if (reference.startsWith('data:')) return [[path, {uri: reference, reference}]]
    const file = reference.startsWith(earlierPrefix) && earlier.files.get(reference.slice(earlierPrefix.length))
    return file ? [[path, file]] : []
  })
  return {texts, files: new Map(found)}
}

const itemPattern = /^(.+)\[(\d+)\]$/

// The values of the page that the button leads to. A form that was sent and not accepted is without its blank items, to which its
// problems do not refer.
export function applyAction(values: FormValues, {name, path}: FormAction, {nodes}: OpenedForm): FormValues {
  const find = createFinder(nodes)
  if (name === 'submit') return removeBlankItems(values, nodes)
  if (name === 'add') {
    const list = find(path)
    return list?.is === 'list' ? addItem(values, {...list, path}) : values
  }
  const [, list = '', index = ''] = itemPattern.exec(path) ?? []
  return find(list)?.is === 'list' ? removeItem(values, list, Number(index)) : values
}

// What a request body, as a PATCH would carry it, is built from.
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

// The text of a field beside another one; undefined if it is empty.
export const getTextBeside = (values: FormValues, field: Field) => (name: string) =>
  getText(values, `${getParentPath(field)}.${name}`) || undefined

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
    return text === '' ? undefined : normalizePhoneNumber(text, findHomeCountry(getTextBeside(values, field)))
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
  file: ({path}, {values}) => values.files.get(path)?.uri,
}

const readValue: Reader = (field, sources) => (readers[field.kind] ?? readTrimmed)(field, sources)

// Sets the value at a path and creates the objects and lists on the way.
function setAtPath(body: Body, path: string, value: unknown) {
  const keys = splitPath(path)
  let container = body
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const isList = /^\d+$/.test(keys[index + 1] ?? '')
    if (!Object.hasOwn(container, key)) container[key] = isList ? [] : {}
    const next = container[key]
    // A forged field name can go through a value that is not an object.
    if (typeof next !== 'object' || next === null) return
    container = next as Body
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
      const items = listItems(sources.values, node.path)
      // A list replaces the earlier one, so an emptied list is sent, and a list that was always empty is not.
      if (items.length === 0 && sources.hadItems(node.path)) setAtPath(body, node.path, [])
      for (const item of items) {
        setAtPath(body, item, {})
        fillBody(body, node.createNodes(item), sources)
      }
    }
  }
}

// Empty fields are left out. Fields that the form does not have are passed on, so that the contract rejects them by name.
export function toBody(
  values: FormValues,
  {nodes, root, earlier}: OpenedForm,
  unknown: ReadonlyMap<string, string>,
): Body {
  const hadItems = (path: string) => {
    const list = getValue(earlier, path.slice(root.length))
    return Array.isArray(list) && list.length > 0
  }
  const body: Body = {}
  fillBody(body, nodes, {values, hadItems})
  for (const [path, text] of unknown) setAtPath(body, path, text)
  return body
}
