// Turns the coloured output of a command into lines of styled text, and those into SVG.
import stringWidth from 'string-width'
import {wrapText} from '../../src/cli/output/wrap-text.ts'

interface StyledText {
  text: string
  // The name of a class, or nothing for plain text.
  style?: string
}

export type Line = StyledText[]

// The codes that svc uses, as chalk writes them. Any other ends the colour before it.
const weightByCode = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
])
const colourByCode = new Map([
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['36', 'cyan'],
  ['90', 'gray'],
])
const weightEnd = '22'

// oxlint-disable-next-line no-control-regex -- The escape character is what it looks for.
const escapeCode = /\u001B\[(\d+)m/

// Wraps the last column of a table below itself, and any other text as a whole.
function wrapLastColumn(line: string, width: number): string[] {
  const [, before = '', last = line] = /^(.* {2,})(\S.*)$/.exec(line) ?? []
  const indent = stringWidth(before)
  if (indent > width / 2) return wrapText(line, width)
  return wrapText(last, width - indent).map((part, index) => (index === 0 ? before : ' '.repeat(indent)) + part)
}

// A line that is too wide is wrapped. Any other keeps its indentation, which wrapping would remove.
export function toLines(text: string, width: number): Line[] {
  return text
    .split('\n')
    .flatMap((line) => (stringWidth(line) <= width ? [line] : wrapLastColumn(line, width)))
    .map(toStyledLine)
}

// The text and the codes alternate.
function toStyledLine(text: string): Line {
  const line: Line = []
  let weight: string | undefined
  let colour: string | undefined
  for (const [index, part] of text.split(escapeCode).entries()) {
    if (index % 2 === 0) {
      const style = [weight, colour].filter((name) => name !== undefined).join(' ')
      if (part !== '') line.push({text: part, ...(style !== '' && {style})})
    } else if (weightByCode.has(part) || part === weightEnd) weight = weightByCode.get(part)
    else colour = colourByCode.get(part)
  }
  return line
}

export const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function toTextElement(line: Line, x: number, y: number): string {
  if (line.length === 0) return ''
  const spans = line.map(({text, style}) =>
    style === undefined ? escapeXml(text) : `<tspan class="${style}">${escapeXml(text)}</tspan>`,
  )
  return `<text x="${x}" y="${y}" xml:space="preserve">${spans.join('')}</text>`
}
