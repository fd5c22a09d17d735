// The values of a form: texts and files by the names of their fields. They come from a browser or from earlier data.
import type {Field, List, Node} from './fields.ts'

export interface FormFile {
  // An upload of an earlier attempt, or a path in the data that was submitted. Without a reference the file is not
  // stored, and the user has to choose it again.
  reference?: string | undefined
  name: string
  bytes: number
  type: string
  problem?: string | undefined
  // The form that the interface expects.
  toDataUri: () => string
}

export interface FormValues {
  texts: ReadonlyMap<string, readonly string[]>
  files: ReadonlyMap<string, FormFile>
}

// Prefix of the field in which the user types a code that is not in the list.
export const otherPrefix = 'other:'
// The option that a user selects to type such a code.
export const otherValue = 'other:'

export const referenceToEarlier = 'earlier:'

// Limits the items of a list, so that a forged index cannot create a huge form.
export const itemsMax = 50

const listNames = ({texts, files}: FormValues) => [...texts.keys(), ...files.keys()]

// The path of the field that a name of a form belongs to.
export const toFieldPath = (name: string) => (name.startsWith(otherPrefix) ? name.slice(otherPrefix.length) : name)

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

// An empty entry under the item's own name makes the item exist. Fields with a closed list of values start with the
// first one.
export function addItem(values: FormValues, {path, createNodes}: List): FormValues {
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
    const length = countItems(current, node.path)
    if (length === 0) return addItem(current, node)
    return Array.from({length}).reduce<FormValues>(
      (within, _, index) => addFirstItems(within, node.createNodes(`${node.path}[${index}]`)),
      current,
    )
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

const dataUri = /^data:([^;,]+);base64,/
const base64Group = 4
const bytesPerGroup = 3

const earlierFileName = 'The file sent earlier'

function toEarlierFile(path: string, uri: string): FormFile {
  const [prefix = '', type = ''] = dataUri.exec(uri) ?? []
  const bytes = Math.floor(((uri.length - prefix.length) * bytesPerGroup) / base64Group)
  return {reference: `${referenceToEarlier}${path}`, name: earlierFileName, bytes, type, toDataUri: () => uri}
}

// Converts earlier data to the values that a user would have entered.
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
  const readTexts = (stored: readonly string[], path: string, node: Field | List | undefined) => {
    const field = node?.is === 'field' ? node : undefined
    if (field?.kind === 'file') {
      files.set(path, toEarlierFile(path, stored[0] ?? ''))
      return
    }
    const isOpen = field?.kind === 'coded' || field?.kind === 'several-coded'
    const others = isOpen ? stored.filter((text) => !field.values?.includes(text)) : []
    texts.set(path, others.length === 0 ? stored : [...stored.filter((text) => !others.includes(text)), otherValue])
    if (others.length > 0) texts.set(otherPrefix + path, [others.join(', ')])
  }
  readValue(data, root)
  return {texts, files}
}
