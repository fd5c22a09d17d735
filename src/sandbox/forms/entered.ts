// What stands in a form: texts and files by the names of their fields, as typed, whether it comes from a browser or from
// data that was submitted earlier.
import type {Field, List, Node} from './fields.ts'

export interface KeptFile {
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

export interface Entered {
  texts: ReadonlyMap<string, readonly string[]>
  files: ReadonlyMap<string, KeptFile>
}

// Before the path: what is typed for a code that is not in the list.
export const otherPrefix = 'other:'
// The choice that says so.
export const otherValue = 'other:'

export const referenceToEarlier = 'earlier:'

// More of anything than this is not meant.
export const itemsMax = 50

const keysOf = ({texts, files}: Entered) => [...texts.keys(), ...files.keys()]

const pathOf = (name: string) => (name.startsWith(otherPrefix) ? name.slice(otherPrefix.length) : name)

export const textAt = ({texts}: Entered, path: string): string => texts.get(path)?.[0] ?? ''

// The number after the list's path, if the name is within the list at all.
function indexIn(list: string, name: string): number | undefined {
  const path = pathOf(name)
  if (!path.startsWith(`${list}[`)) return undefined
  const end = path.indexOf(']', list.length)
  return Number(path.slice(list.length + 1, end))
}

export const lengthOf = (entered: Entered, list: string): number =>
  Math.min(itemsMax, 1 + keysOf(entered).reduce((last, name) => Math.max(last, indexIn(list, name) ?? -1), -1))

// Changes names, or forgets what has none any more.
function renamed(entered: Entered, rename: (name: string) => string | undefined): Entered {
  const change = <T>(map: ReadonlyMap<string, T>) =>
    new Map(
      [...map].flatMap(([name, value]): [string, T][] => {
        const next = rename(name)
        return next === undefined ? [] : [[next, value]]
      }),
    )
  return {texts: change(entered.texts), files: change(entered.files)}
}

// Those behind it move up.
export function withoutItem(entered: Entered, list: string, index: number): Entered {
  return renamed(entered, (name) => {
    const at = indexIn(list, name)
    if (at === undefined || at < index) return name
    if (at === index) return undefined
    return name.replace(`${list}[${at}]`, `${list}[${at - 1}]`)
  })
}

const withText = (entered: Entered, name: string, texts: readonly string[]): Entered => ({
  ...entered,
  texts: new Map(entered.texts).set(name, texts),
})

// A new item is there by its name alone. What is chosen from a closed list begins with its first value.
export function withItem(entered: Entered, {path, nodesOf}: List): Entered {
  const item = `${path}[${lengthOf(entered, path)}]`
  const nodes = nodesOf(item)
  const chosen = nodes.filter((node): node is Field => node.is === 'field' && node.kind === 'one-of')
  const started = chosen.reduce(
    (so, {path: at, values = []}) => withText(so, at, values.slice(0, 1)),
    withText(entered, item, []),
  )
  return withFirstItems(started, nodes)
}

// Of every list that is empty the first item stands there, to be filled in.
export function withFirstItems(entered: Entered, nodes: readonly Node[]): Entered {
  return nodes.reduce((so, node): Entered => {
    if (node.is === 'section') return withFirstItems(so, node.nodes)
    if (node.is === 'field') return so
    const length = lengthOf(so, node.path)
    if (length === 0) return withItem(so, node)
    return Array.from({length}).reduce<Entered>(
      (within, _, index) => withFirstItems(within, node.nodesOf(`${node.path}[${index}]`)),
      so,
    )
  }, entered)
}

// Whether nothing was filled in. What is chosen from a closed list was chosen beforehand, and says nothing.
function isBlank(entered: Entered, nodes: readonly Node[]): boolean {
  return nodes.every((node) => {
    if (node.is === 'section') return isBlank(entered, node.nodes)
    if (node.is === 'list') return lengthOf(entered, node.path) === 0
    if (entered.files.has(node.path)) return false
    const texts = entered.texts.get(node.path) ?? []
    return node.kind === 'one-of' || texts.every((text) => text.trim() === '')
  })
}

// Items in which nothing was filled in are not there.
export function withoutBlankItems(entered: Entered, nodes: readonly Node[]): Entered {
  return nodes.reduce((so, node): Entered => {
    if (node.is === 'section') return withoutBlankItems(so, node.nodes)
    if (node.is === 'field') return so
    let rest = so
    for (let index = lengthOf(so, node.path) - 1; index >= 0; index--) {
      const inner = node.nodesOf(`${node.path}[${index}]`)
      rest = withoutBlankItems(rest, inner)
      if (isBlank(rest, inner)) rest = withoutItem(rest, node.path, index)
    }
    return rest
  }, entered)
}

const dataUri = /^data:([^;,]+);base64,/
const base64Group = 4
const bytesPerGroup = 3

const earlierName = 'The file sent earlier'

function earlierFile(path: string, uri: string): KeptFile {
  const [prefix = '', type = ''] = dataUri.exec(uri) ?? []
  const bytes = Math.floor(((uri.length - prefix.length) * bytesPerGroup) / base64Group)
  return {reference: `${referenceToEarlier}${path}`, name: earlierName, bytes, type, toDataUri: () => uri}
}

// Data of an earlier submission as somebody would have typed it.
export function enteredFrom(data: unknown, root: string, find: (path: string) => Field | List | undefined): Entered {
  const texts = new Map<string, readonly string[]>()
  const files = new Map<string, KeptFile>()
  const take = (value: unknown, path: string): void => {
    const node = find(path)
    if (Array.isArray(value)) {
      if (node?.is === 'list') return value.forEach((item, index) => take(item, `${path}[${index}]`))
      return takeTexts(value.map(String), path, node)
    }
    if (typeof value === 'object' && value !== null) {
      if (path.endsWith(']')) texts.set(path, [])
      for (const [name, inner] of Object.entries(value)) take(inner, path === '' ? name : `${path}.${name}`)
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      takeTexts([String(value)], path, node)
    }
  }
  const takeTexts = (given: readonly string[], path: string, node: Field | List | undefined) => {
    const field = node?.is === 'field' ? node : undefined
    if (field?.kind === 'file') {
      files.set(path, earlierFile(path, given[0] ?? ''))
      return
    }
    const isOpen = field?.kind === 'coded' || field?.kind === 'several-coded'
    const others = isOpen ? given.filter((text) => !field.values?.includes(text)) : []
    texts.set(path, others.length === 0 ? given : [...given.filter((text) => !others.includes(text)), otherValue])
    if (others.length > 0) texts.set(otherPrefix + path, [others.join(', ')])
  }
  take(data, root)
  return {texts, files}
}
