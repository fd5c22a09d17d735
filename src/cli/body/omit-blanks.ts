// Removes the fields of a YAML document that have nothing after their name, and the objects and list items in which nothing
// else was. `null`, `~`, "", {} and [] are values, and stay.
import {type Document, type Pair, type Scalar, isMap, isScalar, isSeq} from 'yaml'

const isBlankScalar = (node: unknown): node is Scalar => isScalar(node) && node.value === null && node.source === ''

// Whether nothing is left of the node. An anchor may be referred to, so what has one stays.
function isLeftBlank(node: unknown): boolean {
  if (node === null) return true
  if (isBlankScalar(node)) return node.anchor === undefined
  if (isMap(node)) {
    if (node.items.length === 0) return false
    node.items = node.items.filter(({value}) => !isLeftBlank(value))
    return node.items.length === 0 && node.anchor === undefined
  }
  if (!isSeq(node) || node.items.length === 0) return false
  node.items = node.items.filter((item) => !isLeftBlank(item))
  return node.items.length === 0 && node.anchor === undefined
}

const getName = ({key}: Pair) => (isScalar(key) ? key.value : key)

export function omitBlanks({contents}: Document, except: readonly string[]): void {
  if (isMap(contents)) {
    contents.items = contents.items.filter((pair) => except.includes(String(getName(pair))) || !isLeftBlank(pair.value))
  } else {
    isLeftBlank(contents)
  }
}
