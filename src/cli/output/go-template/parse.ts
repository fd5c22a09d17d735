// Parses a template into a tree: text, values to print, conditions and loops.
import {type Part, type Word, splitTemplate, splitWords, templateError} from './scan.ts'

// A pipeline: each command gets the result of the one before it as its last argument.
export interface Pipeline {
  commands: Operand[][]
}

export type Operand = Exclude<Word, {kind: 'sign'}> | {kind: 'group'; pipeline: Pipeline; path: string[]}

export type Node =
  | {kind: 'text'; text: string}
  | {kind: 'print'; pipeline: Pipeline}
  | {kind: 'assign'; name: string; isNew: boolean; pipeline: Pipeline}
  | {kind: 'if' | 'with'; pipeline: Pipeline; body: Node[]; otherwise: Node[]}
  | {kind: 'range'; names: string[]; pipeline: Pipeline; body: Node[]; otherwise: Node[]}

// Reads the words of one action from left to right.
class WordReader {
  readonly #words: readonly Word[]
  readonly #action: string
  #at = 0

  constructor(action: string, isKnown: (name: string) => boolean) {
    this.#action = action
    this.#words = splitWords(action)
    const unknown = this.#words.find((word) => word.kind === 'name' && !isKnown(word.name))
    if (unknown?.kind === 'name') throw templateError(`there is no function "${unknown.name}"`)
  }

  #peekSign() {
    const word = this.#words[this.#at]
    return word?.kind === 'sign' ? word.sign : undefined
  }

  // `$name :=`, `$name =`, or for range `$index, $item :=`.
  readNames(): {names: string[]; isNew: boolean} | undefined {
    const start = this.#at
    const names: string[] = []
    for (;;) {
      const word = this.#words[this.#at]
      if (word?.kind !== 'variable' || word.path.length > 0) break
      names.push(word.name)
      this.#at++
      const sign = this.#peekSign()
      if (sign !== ',' && sign !== ':=' && sign !== '=') break
      this.#at++
      if (sign !== ',') return {names, isNew: sign === ':='}
    }
    this.#at = start
    return undefined
  }

  readPipeline(isGroup = false): Pipeline {
    const commands: Operand[][] = [[]]
    for (;;) {
      const word = this.#words[this.#at++]
      if (word === undefined || (word.kind === 'sign' && word.sign === ')')) {
        if ((word !== undefined) !== isGroup) throw templateError(`the parentheses in {{${this.#action}}} do not match`)
        break
      }
      if (word.kind !== 'sign') commands.at(-1)?.push(word)
      else if (word.sign === '|') commands.push([])
      else if (word.sign === '(')
        commands.at(-1)?.push({kind: 'group', pipeline: this.readPipeline(true), path: this.#readPath()})
      else throw templateError(`"${word.sign}" in {{${this.#action}}} is out of place`)
    }
    if (commands.some((command) => command.length === 0))
      throw templateError(`a value is missing in {{${this.#action}}}`)
    return {commands}
  }

  // The fields behind a parenthesis: (index .accounts 0).currency
  #readPath(): string[] {
    const word = this.#words[this.#at]
    if (word?.kind !== 'field' || word.path.length === 0) return []
    this.#at++
    return word.path
  }
}

const keyword = /^(if|with|range|else|end|define|template|block|break|continue)\b\s*/

interface Open {
  node: Extract<Node, {body: Node[]}>
  // Where nodes are added: the body, or what comes after else.
  into: Node[]
  // `else if` closes together with the condition that it belongs to.
  isNested: boolean
}

export function parseTemplate(template: string, isKnown: (name: string) => boolean): Node[] {
  const root: Node[] = []
  const open: Open[] = []
  const add = (node: Node) => (open.at(-1)?.into ?? root).push(node)
  const openBlock = (kind: 'if' | 'with' | 'range', rest: string, isNested: boolean) => {
    const reader = new WordReader(rest, isKnown)
    const declared = reader.readNames()
    const base = {pipeline: reader.readPipeline(), body: [], otherwise: []}
    const names = declared?.names ?? []
    if (kind !== 'range' && declared) throw templateError(`{{${kind}}} with a variable is not supported`)
    const node: Open['node'] = kind === 'range' ? {kind, names, ...base} : {kind, ...base}
    add(node)
    open.push({node, into: node.body, isNested})
  }
  const readAction = ({text}: Part) => {
    const [start = '', word] = keyword.exec(text) ?? []
    const rest = text.slice(start.length)
    if (word === undefined) return add(parsePlainAction(text, isKnown))
    if (word === 'if' || word === 'with' || word === 'range') return openBlock(word, rest, false)
    if (word === 'else') return readElse(rest)
    if (word !== 'end') throw templateError(`{{${word}}} is not supported`)
    let closed = open.pop()
    if (!closed) throw templateError('there is an {{end}} too many')
    while (closed?.isNested) closed = open.pop()
    return undefined
  }
  const readElse = (rest: string) => {
    const block = open.at(-1)
    if (!block || block.into !== block.node.body)
      throw templateError('{{else}} belongs to no {{if}}, {{range}} or {{with}}')
    block.into = block.node.otherwise
    const [start = '', word] = keyword.exec(rest) ?? []
    if (word === 'if' || word === 'with') openBlock(word, rest.slice(start.length), true)
    else if (rest !== '') throw templateError(`"${rest}" after else cannot be read`)
  }
  for (const part of splitTemplate(template)) {
    if (part.kind === 'text') add({kind: 'text', text: part.text})
    else if (part.text !== '') readAction(part)
  }
  const left = open.at(-1)
  if (left) throw templateError(`{{${left.node.kind}}} has no {{end}}`)
  return root
}

function parsePlainAction(text: string, isKnown: (name: string) => boolean): Node {
  const reader = new WordReader(text, isKnown)
  const declared = reader.readNames()
  const pipeline = reader.readPipeline()
  const [name = ''] = declared?.names ?? []
  return declared ? {kind: 'assign', name, isNew: declared.isNew, pipeline} : {kind: 'print', pipeline}
}
