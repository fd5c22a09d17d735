// The values of a form: the body that a PATCH would carry, as far as it is filled in. They come from a browser or from earlier data.
import {hash} from 'node:crypto'
import {type Field, type List, type Node, createFinder, findHomeCountry, getParentPath} from '../../forms/fields.ts'
import {type Body, getValue, withValue, withoutValue} from '../../values/body-paths.ts'
import {normalizePhoneNumber} from '../../values/identifiers.ts'
import {listFiles} from '../../values/verification-data.ts'
import type {OpenedForm} from './hosted-form.ts'
import {type Entry, type FormAction, isPath, itemsMax} from './posted-form.ts'

// The option that a user selects to type a code that is not in the list, and the prefix of the field in which it is typed.
export const otherValue = 'other:'
export const otherPrefix = 'other:'
// Prefixes of the file that a page has already, and of the box that removes it.
export const keptPrefix = 'kept:'
export const dropPrefix = 'drop:'

// The paths of the items of a list.
export function listItems(values: Body, list: string): string[] {
  const items = getValue(values, list)
  return Array.isArray(items) ? Array.from(items, (_, index) => `${list}[${index}]`).slice(0, itemsMax) : []
}

// Of a file that was submitted earlier the page carries this, and not its content.
export const referToFile = (uri: string) => hash('sha256', uri)

export const findEarlierFiles = ({earlier}: OpenedForm): ReadonlyMap<string, string> =>
  new Map([...listFiles(earlier)].map((uri) => [referToFile(uri), uri]))

export const readEarlierValues = ({earlier, root}: OpenedForm): Body =>
  root === '' ? (earlier as Body) : {[root]: earlier}

const splitText = (text: string, separator: RegExp) => text.split(separator).map((piece) => piece.trim())

const decimal = /^\d+(\.\d+)?$/

// What was entered in a field, from the texts of its control and the text beside it. Any other field has one text.
const readers: Partial<Record<Field['kind'], (texts: readonly string[], other: string) => unknown>> = {
  number: ([text = '']) => (decimal.test(text) ? Number(text) : text),
  'yes-no': ([text]) => (text === 'true' ? true : text === 'false' ? false : text),
  // Text beside a list in which nothing is chosen was meant, too.
  coded: ([text], other) => (text === otherValue || !text ? other : text),
  'several-coded': (texts, other) => [...texts.filter((text) => text !== otherValue), ...splitText(other, /,/)],
  lines: (texts) => texts.flatMap((text) => splitText(text, /\r?\n/)),
}

const isEmpty = (value: unknown) => value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

// What a browser posted. Empty fields are left out. Fields that the form does not have are kept, so that the contract rejects them
// by name.
export function readPostedValues(entries: readonly Entry[], opened: OpenedForm): Body {
  const find = createFinder(opened.nodes)
  const earlierFiles = findEarlierFiles(opened)
  const posted = Map.groupBy(entries, ({name}) => name)
  const getTexts = (name: string) => (posted.get(name) ?? []).map(({value}) => value.trim())
  const readFile = (path: string) => {
    const chosen = posted.get(path)?.find(({isFile}) => isFile)?.value
    const [kept = ''] = posted.has(dropPrefix + path) ? [] : getTexts(keptPrefix + path)
    return chosen ?? (kept.startsWith('data:') ? kept : earlierFiles.get(kept))
  }
  const readValue = (path: string) => {
    const node = find(path)
    if (node?.is === 'field' && node.kind === 'file') return readFile(path)
    const [[text], other = ''] = [getTexts(path), getTexts(otherPrefix + path)[0]]
    const read = node?.is === 'field' ? readers[node.kind] : undefined
    const value = read ? read(getTexts(path), other) : text
    return Array.isArray(value) ? value.filter((each) => each !== '') : value
  }
  const paths = [...posted.keys()].map((name) => name.replace(/^\w+:/, '')).filter(isPath)
  return [...new Set(paths)].reduce<Body>((body, path) => {
    // An item of a list is there as soon as one of its fields is.
    const item = find(path) && /^.*\]/.exec(path)?.[0]
    const within = item !== undefined && getValue(body, item) === undefined ? withValue(body, item, {}) : body
    const value = readValue(path)
    return isEmpty(value) ? within : withValue(within, path, value)
  }, {})
}

// The value of a field beside another one.
export const getBeside = (values: Body, field: Field) => (name: string) =>
  getValue(values, `${getParentPath(field)}.${name}`)

// What is sent; the page shows what was entered.
export function completePhoneNumbers(values: Body, nodes: readonly Node[]): Body {
  return listAllFields(values, nodes).reduce((body, field) => {
    const text = field.kind === 'phone' ? getValue(body, field.path) : undefined
    if (typeof text !== 'string') return body
    return withValue(body, field.path, normalizePhoneNumber(text, findHomeCountry(getBeside(body, field))))
  }, values)
}

// With the fields of every item.
export const listAllFields = (values: Body, nodes: readonly Node[]): Field[] =>
  nodes.flatMap((node) => {
    if (node.is === 'field') return [node]
    if (node.is === 'section') return listAllFields(values, node.nodes)
    return listItems(values, node.path).flatMap((item) => listAllFields(values, node.createNodes(item)))
  })

// Fields with a closed list of values start with the first one.
function addItem(values: Body, {path, createNodes}: List): Body {
  const item = `${path}[${listItems(values, path).length}]`
  const nodes = createNodes(item)
  const started = nodes.reduce(
    (body, node) =>
      node.is === 'field' && node.kind === 'one-of' ? withValue(body, node.path, node.values?.[0]) : body,
    withValue(values, item, {}),
  )
  return addFirstItems(started, nodes)
}

// Shows one empty item in every empty list.
export function addFirstItems(values: Body, nodes: readonly Node[]): Body {
  return nodes.reduce((body, node): Body => {
    if (node.is === 'field') return body
    if (node.is === 'section') return addFirstItems(body, node.nodes)
    const items = listItems(body, node.path)
    if (items.length === 0) return addItem(body, node)
    return items.reduce((within, item) => addFirstItems(within, node.createNodes(item)), body)
  }, values)
}

// A value from a closed list does not count, because the form preselects it.
const isBlank = (values: Body, nodes: readonly Node[]): boolean =>
  listAllFields(values, nodes).every(({kind, path}) => kind === 'one-of' || isEmpty(getValue(values, path)))

// A list replaces the earlier one, so an emptied list is sent, and a list that was always empty is not.
export function removeBlankItems(values: Body, opened: OpenedForm, nodes = opened.nodes): Body {
  return nodes.reduce((body, node): Body => {
    if (node.is === 'field') return body
    if (node.is === 'section') return removeBlankItems(body, opened, node.nodes)
    const rest = listItems(body, node.path).reduceRight((within, item) => {
      const inner = node.createNodes(item)
      return isBlank(within, inner) ? withoutValue(within, item) : removeBlankItems(within, opened, inner)
    }, body)
    const hadItems = listItems(readEarlierValues(opened), node.path).length > 0
    return hadItems && listItems(rest, node.path).length === 0 ? withValue(rest, node.path, []) : rest
  }, values)
}

// The values of the page that the button leads to. A form that was sent and not accepted is without its blank items, to which its
// problems do not refer.
export function applyAction(values: Body, {name, path}: FormAction, opened: OpenedForm): Body {
  if (name === 'submit') return removeBlankItems(values, opened)
  const node = createFinder(opened.nodes)(path.replace(/\[\d+\]$/, ''))
  if (node?.is !== 'list') return values
  return name === 'add' ? addItem(values, {...node, path}) : withoutValue(values, path)
}
