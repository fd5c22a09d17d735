// Lays out help: sections, and rows of two columns that fit the terminal.
import type {Painter} from '../output/colour.ts'
import {wrapWords} from '../output/wrap-text.ts'

const widthMax = 100
const widthDefault = 80
export const indent = '  '

// What help is written on: its width and its colours.
export interface Page {
  width: number
  painter: Painter
}

export const getPageWidth = ({columns}: {columns?: number | undefined}) => Math.min(columns || widthDefault, widthMax)

export const toCommandName = (id: string) => id.replaceAll(':', ' ')

const textWidthMin = 24

// Wraps text to the width that is left beside a margin.
export const wrapBeside = (text: string, margin: number, {width}: Page) =>
  wrapWords(text, Math.max(textWidthMin, width - margin))

export type Row = readonly [left: string, right: string]

const leftMax = 34

// Two columns. A left side that is too long gets a line of its own.
export function renderRows(pairs: readonly Row[], page: Page): string {
  const left = Math.min(leftMax, Math.max(...pairs.map(([name]) => name.length)))
  const margin = indent.length + left + 2
  return pairs
    .map(([name, text]) => {
      const [first = '', ...more] = wrapBeside(text, margin, page)
      const head = name.length > left ? `${name}\n${' '.repeat(margin)}${first}` : `${name.padEnd(left)}  ${first}`
      return [`${indent}${head}`, ...more.map((line) => ' '.repeat(margin) + line)].join('\n').trimEnd()
    })
    .join('\n')
}

export function renderSection(title: string, body: string | undefined, {painter}: Page): string {
  return body ? `\n${painter.bold(title)}\n${body}\n` : ''
}
