// Writes answers into a YAML file that a person has written, and keeps its comments, its order and its blanks.
import {isDeepStrictEqual} from 'node:util'
import {type Document, type Node, type Pair, isAlias, isMap, isNode, isScalar, isSeq, parseDocument, visit} from 'yaml'
import type {Body} from '../../values/body-paths.ts'
import {isBlankScalar, omitBlanks} from '../body/omit-blanks.ts'
import {escapeUnsafeYaml} from '../output/clean.ts'
import {toYaml} from '../output/formats.ts'

const parse = (text: string): Document => parseDocument(text, {logLevel: 'error', compat: 'yaml-1.1'})

// Stands for a blank while the document is changed. The library would take the comment below a blank for one behind it, and
// write it there.
const placeholder = 'svc-left-blank'

function fillBlanks(text: string): string {
  const ends: number[] = []
  visit(parse(text), {
    Pair(_, {key, value}) {
      if (isScalar(key) && key.range && isBlankScalar(value)) ends.push(text.indexOf(':', key.range[1]) + 1)
    },
  })
  return ends
    .toSorted((a, b) => b - a)
    .reduce((filled, at) => `${filled.slice(0, at)} ${placeholder}${filled.slice(at)}`, text)
}

const isBlank = (node: unknown): boolean => {
  if (node === null || node === undefined) return true
  if (isScalar(node)) return node.value === placeholder || isBlankScalar(node)
  if (isMap(node)) return node.items.length > 0 && node.items.every(({value}) => isBlank(value))
  return isSeq(node) && node.items.length > 0 && node.items.every(isBlank)
}

const getName = ({key}: Pair) => String(isScalar(key) ? key.value : key)

// A value that has changed keeps the comments around it.
function replaceNode(before: unknown, after: Node): Node {
  if (!isNode(before)) return after
  if (before.commentBefore) after.commentBefore = before.commentBefore
  // A comment behind a single value stays behind it. Before a list or an object it would stand in its middle.
  if (before.comment && isScalar(after)) after.comment = before.comment
  if (before.spaceBefore) after.spaceBefore = before.spaceBefore
  return after
}

function mergeNode(before: unknown, after: Node, document: Document): Node {
  if (isMap(before) && isMap(after)) {
    const names = new Set(after.items.map(getName))
    before.items = before.items.filter((pair) => names.has(getName(pair)) || isBlank(pair.value))
    for (const pair of after.items) {
      const known = before.items.find((each) => getName(each) === getName(pair))
      if (known) known.value = mergeNode(known.value, pair.value as Node, document)
      else before.items.push(pair)
    }
    return before
  }
  if (isSeq(before) && isSeq(after)) {
    const surplus = before.items.slice(after.items.length).filter(isBlank)
    before.items = [
      ...after.items.map((item, index) => mergeNode(before.items[index], item as Node, document)),
      ...surplus,
    ]
    return before
  }
  if (isNode(before) && isDeepStrictEqual(before.toJS(document), after.toJS(document))) return before
  return replaceNode(before, after)
}

function hasAliases(document: Document): boolean {
  let isFound = false
  visit(document, {
    Node: (_, node) => {
      isFound ||= isAlias(node) || node.anchor !== undefined
    },
  })
  return isFound
}

// What a reader of the file finds in it.
function readData(text: string): unknown {
  const document = parse(text)
  omitBlanks(document, [])
  return document.errors.length > 0 ? undefined : (document.toJS() as unknown)
}

// Returns undefined if the file cannot hold exactly these answers, for example because it has aliases.
export async function mergeDraft(text: string, body: Body): Promise<string | undefined> {
  if (text.includes(placeholder)) return undefined
  const [document, answers] = [parse(fillBlanks(text)), parse(await toYaml(body))]
  if (document.errors.length > 0 || document.warnings.length > 0 || hasAliases(document)) return undefined
  if (!isMap(answers.contents) || !(isMap(document.contents) || isBlank(document.contents))) return undefined
  document.contents = mergeNode(document.contents, answers.contents, document)
  const options = {lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY}
  const merged = escapeUnsafeYaml(document.toString(options)).replaceAll(` ${placeholder}`, '')
  return isDeepStrictEqual(readData(merged), answers.toJS()) ? merged : undefined
}
