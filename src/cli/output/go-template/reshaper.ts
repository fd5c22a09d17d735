// Prints data by the template of --template, of the kind that Go, and so `gh` and `kubectl`, have.
import stringWidth from 'string-width'
import {cleanText} from '../clean.ts'
import {type Reshaper, createReshapeError} from '../reshape.ts'
import {TemplateFailure, functions, getField, isTrue} from './functions.ts'
import {type Node, type Operand, type Pipeline, parseTemplate} from './parse.ts'
import {toText} from '../view.ts'

const gap = 2

// Rows of `tablerow` wait here until all of them are known, because a column is as wide as its widest cell.
class TableRows {
  #rows: string[][] = []

  add(cells: readonly unknown[]): string {
    this.#rows.push(cells.map(toText))
    return ''
  }

  render(): string {
    const rows = this.#rows
    this.#rows = []
    const widths: number[] = []
    for (const row of rows) {
      for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, stringWidth(cell))
    }
    const padCell = (cell: string, index: number) => cell + ' '.repeat((widths[index] ?? 0) - stringWidth(cell) + gap)
    return rows.map((row) => `${row.map(padCell).join('').trimEnd()}\n`).join('')
  }
}

class Run {
  readonly #root: unknown
  readonly #rows = new TableRows()
  readonly #variables: Array<Map<string, unknown>> = [new Map()]
  #text = ''

  constructor(root: unknown) {
    this.#root = root
  }

  render(nodes: readonly Node[]): string {
    this.#runAll(nodes, this.#root)
    const text = this.#text + this.#rows.render()
    return text === '' || text.endsWith('\n') ? text : `${text}\n`
  }

  #runAll(nodes: readonly Node[], dot: unknown, variables: ReadonlyArray<readonly [string, unknown]> = []): void {
    this.#variables.push(new Map(variables))
    for (const node of nodes) this.#runNode(node, dot)
    this.#variables.pop()
  }

  #runNode(node: Node, dot: unknown): void {
    if (node.kind === 'text') this.#text += node.text
    else if (node.kind === 'print') this.#text += toText(this.#evaluate(node.pipeline, dot))
    else if (node.kind === 'assign') this.#assign(node.name, this.#evaluate(node.pipeline, dot), node.isNew)
    else if (node.kind === 'range') this.#runRange(node, dot)
    else {
      const value = this.#evaluate(node.pipeline, dot)
      if (isTrue(value)) this.#runAll(node.body, node.kind === 'with' ? value : dot)
      else this.#runAll(node.otherwise, dot)
    }
  }

  #assign(name: string, value: unknown, isNew: boolean): void {
    const scope = isNew ? this.#variables.at(-1) : this.#variables.findLast((variables) => variables.has(name))
    if (!scope) throw new TemplateFailure(`${name} is not set`)
    scope.set(name, value)
  }

  #runRange({names, pipeline, body, otherwise}: Extract<Node, {kind: 'range'}>, dot: unknown): void {
    const entries = listEntries(this.#evaluate(pipeline, dot))
    for (const [key, item] of entries) {
      const [first, second] = names
      const values = [second === undefined ? item : key, item]
      const variables = [first, second].flatMap((name, index) => (name ? [[name, values[index]] as const] : []))
      this.#runAll(body, item, variables)
    }
    if (entries.length === 0) this.#runAll(otherwise, dot)
  }

  #evaluate({commands}: Pipeline, dot: unknown): unknown {
    let piped: unknown[] = []
    for (const command of commands) piped = [this.#call(command, dot, piped)]
    return piped[0]
  }

  #call([first, ...rest]: readonly Operand[], dot: unknown, piped: readonly unknown[]): unknown {
    const args = () => [...rest.map((operand) => this.#read(operand, dot)), ...piped]
    if (first?.kind === 'name') return this.#callFunction(first.name, args())
    if (rest.length > 0 || piped.length > 0) throw new TemplateFailure('only a function can have arguments')
    return first && this.#read(first, dot)
  }

  #callFunction(name: string, args: unknown[]): unknown {
    if (name === 'tablerow') return this.#rows.add(args)
    if (name === 'tablerender') return this.#rows.render()
    return functions[name]?.(...args)
  }

  #read(operand: Operand, dot: unknown): unknown {
    if (operand.kind === 'value') return operand.value
    if (operand.kind === 'name') return this.#callFunction(operand.name, [])
    if (operand.kind === 'field') return operand.path.reduce(getField, dot)
    if (operand.kind === 'group') return operand.path.reduce(getField, this.#evaluate(operand.pipeline, dot))
    return operand.path.reduce(getField, this.#readVariable(operand.name))
  }

  #readVariable(name: string): unknown {
    if (name === '$') return this.#root
    const scope = this.#variables.findLast((variables) => variables.has(name))
    if (!scope) throw new TemplateFailure(`${name} is not set`)
    return scope.get(name)
  }
}

// The entries of a list with their index, or of an object with their key, sorted as Go does.
function listEntries(value: unknown): Array<readonly [unknown, unknown]> {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return [...(value as unknown[]).entries()]
  if (typeof value === 'object' && !JSON.isRawJSON(value)) {
    return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  }
  throw new TemplateFailure(`range needs a list or an object, not "${toText(value)}"`)
}

// Text of the service must not control the terminal or begin a new line. What the template itself contains may.
function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanDeep)
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleanDeep(inner)]))
}

const isKnown = (name: string) => Object.hasOwn(functions, name) || name === 'tablerow' || name === 'tablerender'

export function createTemplateReshaper(template: string): Reshaper {
  const nodes = parseTemplate(template, isKnown)
  return {
    reshape(values) {
      let text = ''
      try {
        for (const value of values) text += new Run(cleanDeep(value)).render(nodes)
        return {text}
      } catch (error) {
        if (!(error instanceof TemplateFailure)) throw error
        return {text, failure: createReshapeError('--template', error.message)}
      }
    },
  }
}
