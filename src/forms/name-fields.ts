// Writes the labels of fields in place of their paths, for people who do not know the interface.
import {dropIndexes} from '../values/records.ts'
import type {Node} from './fields.ts'

export const lastIndex = /\[(\d+)\]$/

// The field, or what holds several, that a path ends at, wherever it begins.
function findNode(nodes: readonly Node[], path: string): Node | undefined {
  const end = `.${dropIndexes(path.replace(lastIndex, ''))}`
  for (const node of nodes) {
    if (`.${dropIndexes(node.path)}`.endsWith(end)) return node
    const inner = node.is === 'field' ? [] : node.is === 'section' ? node.nodes : node.createNodes(`${node.path}[]`)
    const found = findNode(inner, path)
    if (found) return found
  }
  return undefined
}

// In words, such as “City” of “Address” of person 2. Undefined if the form does not have it.
export function describePath(path: string, nodes: readonly Node[]): string | undefined {
  if (!findNode(nodes, path)) return undefined
  const names = path.split('.')
  const words = names.flatMap((name, index) => {
    const node = findNode(nodes, names.slice(0, index + 1).join('.'))
    const [, number] = lastIndex.exec(name) ?? []
    if (!node) return []
    if (node.is === 'list' && number !== undefined) return [`${node.item.toLowerCase()} ${Number(number) + 1}`]
    return [`“${node.is === 'field' ? node.label : node.title}”`]
  })
  return words.toReversed().join(' of ')
}

const pathPattern = /[a-z]\w*(?:\[\d+\])?(?:\.[a-z]\w*(?:\[\d+\])?)*/gi
const looksLikePath = /[a-z][A-Z]|[.[]/

// A message for programs, in the words of the form. At its beginning, a path has a capital letter.
export const nameFields = (message: string, nodes: readonly Node[], paths: readonly string[] = []): string =>
  message.replaceAll(pathPattern, (text) => {
    const path = text.charAt(0).toLowerCase() + text.slice(1)
    return looksLikePath.test(text) || paths.includes(path) ? (describePath(path, nodes) ?? text) : text
  })
