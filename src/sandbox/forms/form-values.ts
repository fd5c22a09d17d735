// What stands in a form: texts and files by the names of their fields, as typed, whether it comes from a browser or from
// data that was submitted earlier.
import type {Field, List, Node} from './fields.ts'

export interface FormFile {
  // Where its bytes are: an upload of an earlier attempt, or a place in the data that was submitted. Without one it is not
  // kept, and has to be chosen again.
  reference?: string | undefined
  name: string
  bytes: number
  type: string
  // What is wrong with it.
  problem?: string | undefined
  // As the interface wants it.
  toDataUri: () => string
}

export interface FormValues {
  texts: ReadonlyMap<string, readonly string[]>
  files: ReadonlyMap<string, FormFile>
}

// Before the path: what is typed for a code that is not in the list.
export const otherPrefix = 'other:'
// The choice that says so.
export const otherValue = 'other:'

export const referenceToEarlier = 'earlier:'

// More of anything than this is not meant.
export const itemsMax = 50

const listNames = ({texts, files}: FormValues) => [...texts.keys(), ...files.keys()]

const toPath = (name: string) => (name.startsWith(otherPrefix) ? name.slice(otherPrefix.length) : name)

export const getText = ({texts}: FormValues, path: string): string => texts.get(path)?.[0] ?? ''

// The number after the list's path, if the name is within the list at all.
function findItemIndex(list: string, name: string): number | undefined {
  const path = toPath(name)
  if (!path.startsWith(`${list}[`)) return undefined
  const end = path.indexOf(']', list.length)
  return Number(path.slice(list.length + 1, end))
}

export const countItems = (values: FormValues, list: string): number =>
  Math.min(itemsMax, 1 + listNames(values).reduce((last, name) => Math.max(last, findItemIndex(list, name) ?? -1), -1))

// Changes names, or forgets what has none any more.
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

// Those behind it move up.
export function removeItem(values: FormValues, list: string, index: number): FormValues {
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

// A new item is there by its name alone. What is chosen from a closed list begins with its first value.
export function addItem(values: FormValues, {path, createNodes: nodesOf}: List): FormValues {
  const item = `${path}[${countItems(values, path)}]`
  const nodes = nodesOf(item)
  const chosen = nodes.filter((node): node is Field => node.is === 'field' && node.kind === 'one-of')
  const started = chosen.reduce(
    (so, {path: at, values = []}) => setTexts(so, at, values.slice(0, 1)),
    setTexts(values, item, []),
  )
  return addFirstItems(started, nodes)
}

// Of every list that is empty the first item stands there, to be filled in.
export function addFirstItems(values: FormValues, nodes: readonly Node[]): FormValues {
  return nodes.reduce((so, node): FormValues => {
    if (node.is === 'section') return addFirstItems(so, node.nodes)
    if (node.is === 'field') return so
    const length = countItems(so, node.path)
    if (length === 0) return addItem(so, node)
    return Array.from({length}).reduce<FormValues>(
      (within, _, index) => addFirstItems(within, node.createNodes(`${node.path}[${index}]`)),
      so,
    )
  }, values)
}

// Whether nothing was filled in. What is chosen from a closed list was chosen beforehand, and says nothing.
function isBlank(values: FormValues, nodes: readonly Node[]): boolean {
  return nodes.every((node) => {
    if (node.is === 'section') return isBlank(values, node.nodes)
    if (node.is === 'list') return countItems(values, node.path) === 0
    if (values.files.has(node.path)) return false
    const texts = values.texts.get(node.path) ?? []
    return node.kind === 'one-of' || texts.every((text) => text.trim() === '')
  })
}

// Items in which nothing was filled in are not there.
export function removeBlankItems(values: FormValues, nodes: readonly Node[]): FormValues {
  return nodes.reduce((so, node): FormValues => {
    if (node.is === 'section') return removeBlankItems(so, node.nodes)
    if (node.is === 'field') return so
    let rest = so
    for (let index = countItems(so, node.path) - 1; index >= 0; index--) {
      const inner = node.createNodes(`${node.path}[${index}]`)
      rest = removeBlankItems(rest, inner)
      if (isBlank(rest, inner)) rest = removeItem(rest, node.path, index)
    }
    return rest
  }, values)
}

const dataUri = /^data:([^;,]+);base64,/
const base64Group = 4
const bytesPerGroup = 3

const earlierFileName = 'The file sent earlier'

function toEarlierFile(path: string, uri: string): FormFile {
  const [prefix = '', type = ''] = dataUri.exec(uri) ?? []
  const bytes = Math.floor(((uri.length - prefix.length) * bytesPerGroup) / base64Group)
  return {reference: `${referenceToEarlier}${path}`, name: earlierFileName, bytes, type, toDataUri: () => uri}
}

// Data of an earlier submission as somebody would have typed it.
export function toFormValues(
  data: unknown,
  root: string,
  find: (path: string) => Field | List | undefined,
): FormValues {
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
  const readTexts = (given: readonly string[], path: string, node: Field | List | undefined) => {
    const field = node?.is === 'field' ? node : undefined
    if (field?.kind === 'file') {
      files.set(path, toEarlierFile(path, given[0] ?? ''))
      return
    }
    const isOpen = field?.kind === 'coded' || field?.kind === 'several-coded'
    const others = isOpen ? given.filter((text) => !field.values?.includes(text)) : []
    texts.set(path, others.length === 0 ? given : [...given.filter((text) => !others.includes(text)), otherValue])
    if (others.length > 0) texts.set(otherPrefix + path, [others.join(', ')])
  }
  readValue(data, root)
  return {texts, files}
}
