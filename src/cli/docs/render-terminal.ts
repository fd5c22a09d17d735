// Renders a page of docs/ for a terminal: wrapped, with bold headings, and with links if the terminal has them.
import type {Painter} from '../output/colour.ts'
import {measureWidth} from '../output/fit-columns.ts'
import {wrapWords} from '../output/wrap-text.ts'
import {type Block, type Span, isPicture, parseMarkdown, parseSpans} from './markdown.ts'
import type {DocsPage} from './pages.ts'
import {findDestination, renderLink} from './links.ts'

interface Style {
  painter: Painter
  width: number
  hasLinks: boolean
}

// Of prose: longer lines are hard to read.
const widthMax = 100

// A terminal has no pictures, and the text says what they show.
export function renderPage(page: DocsPage, style: Style): string {
  const fitted = {...style, width: Math.min(style.width, widthMax), codeWidth: style.width}
  return parseMarkdown(page.text)
    .filter((block) => !isPicture(block))
    .map((block) => renderBlock(block, page, fitted))
    .join('\n')
}

function renderBlock(block: Block, page: DocsPage, style: Style & {codeWidth: number}): string {
  const {painter, width} = style
  if (block.kind === 'heading') {
    const text = renderText(block.text, page, {...style, hasLinks: false})
    const lines = wrapWords(block.level === 1 ? text.toUpperCase() : text, width)
    return `${lines.map((line) => painter.bold(line)).join('\n')}\n`
  }
  if (block.kind === 'code') return `${foldCode(block.lines, style.codeWidth).join('\n')}\n`
  if (block.kind === 'table') return renderCells(block.rows, page, style)
  if (block.kind === 'paragraph') return `${wrapWords(renderText(block.text, page, style), width).join('\n')}\n`
  const items = block.items.map(({marker, text}) => {
    const margin = ' '.repeat(marker.length + 1)
    const lines = wrapWords(renderText(text, page, style), width - margin.length)
    return `${marker} ${lines.join(`\n${margin}`)}\n`
  })
  return items.join('')
}

const renderText = (text: string, page: DocsPage, style: Style) =>
  parseSpans(text)
    .map((span) => renderSpan(span, page, style))
    .join('')

function renderSpan(span: Span, page: DocsPage, {painter, hasLinks}: Style): string {
  if (span.kind === 'bold') return painter.bold(span.text)
  if (span.kind === 'code') return `\`${span.text}\``
  if (span.kind !== 'link') return span.text
  const destination = findDestination(page, span.target)
  if (!destination) return span.text
  const {url, topic} = destination
  if (hasLinks && url !== undefined) return renderLink(span.text, url)
  const where = topic === undefined ? url : `svc docs ${topic}`
  return where === undefined ? span.text : `${span.text} (${where})`
}

function renderCells([header = [], ...rows]: string[][], page: DocsPage, style: Style): string {
  const plain = {...style, hasLinks: false, painter: {...style.painter, bold: String}}
  const render = (cells: readonly string[]) => cells.map((cell) => renderText(cell, page, plain))
  return renderDocsTable([render(header).map((title) => title.toUpperCase()), ...rows.map(render)], style.width)
}

// Lays out a table of a page, whose cells are whole sentences: the widest columns become narrower, and their text wraps.
const columnGap = 2
const columnWidthMin = 12

function fitWidths(natural: readonly number[], tableWidth: number): number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, columnGap * (widths.length - 1)) - tableWidth
  for (; excess > 0; excess--) {
    const widest = Math.max(...widths)
    if (widest <= columnWidthMin) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

// A word that is wider than its column moves the rest of its line; it is never broken.
function renderRow(cells: readonly string[], widths: readonly number[]): string {
  const wrapped = cells.map((cell, index) => wrapWords(cell, widths[index] ?? columnWidthMin))
  const height = Math.max(...wrapped.map((lines) => lines.length))
  let text = ''
  for (let line = 0; line < height; line++) {
    const parts = wrapped.map((lines, index) => {
      const part = lines[line] ?? ''
      return part + ' '.repeat(Math.max(0, (widths[index] ?? 0) - measureWidth(part)))
    })
    text += `${parts.join(' '.repeat(columnGap)).trimEnd()}\n`
  }
  return text
}

function renderDocsTable(rows: ReadonlyArray<readonly string[]>, tableWidth: number): string {
  const count = Math.max(...rows.map((row) => row.length))
  const natural = Array.from({length: count}, (_, index) =>
    Math.max(1, ...rows.map((row) => measureWidth(row[index] ?? ''))),
  )
  const widths = fitWidths(natural, tableWidth)
  return rows.map((row) => renderRow(row, widths)).join('')
}

// Fits the lines of a code block into a terminal without breaking what is meant to be copied: a command continues after a
// backslash, its explanation and a message of svc are wrapped between words, and every other line stays whole.
const indentMax = 4
const continuation = ' \\'
const hangingIndent = '    '
// Beside a command there must be room for a few words of its explanation.
const explanationWidthMin = 24

const explained = /^((?:\$ )?(?:svc|export) .*?\S|\S.*?\S(?= +# ))( {2,}| +(?=# ))(\S.*)$/
const command = /^(?:\$ )?svc /
const message = /^svc: /

// Indented as far as the longest line that stays whole allows.
export function foldCode(lines: readonly string[], width: number): string[] {
  const whole = lines.filter((line) => foldLine(line, width - indentMax).length === 1).map((line) => measureWidth(line))
  const longest = Math.max(0, ...whole.filter((each) => each <= width))
  const indent = ' '.repeat(Math.min(indentMax, width - longest))
  return lines.flatMap((line) => foldLine(line, width - indent.length)).map((line) => `${indent}${line}`.trimEnd())
}

// Spaces in quotes are part of a command, and do not end it.
const endsInQuotes = (code: string) => code.split("'").length % 2 === 0

function foldLine(line: string, width: number): string[] {
  if (measureWidth(line) <= width) return [line]
  if (message.test(line)) return wrapWords(line, width)
  const [, code = '', gap = '', explanation = ''] = explained.exec(line) ?? []
  if (explanation !== '' && !endsInQuotes(code)) return foldExplanation({code, gap, explanation}, width)
  return command.test(line) ? foldCommand(line, width) : [line]
}

// The explanation keeps its column, or stands below the command if that leaves too little room.
function foldExplanation(
  {code, gap, explanation}: Record<'code' | 'gap' | 'explanation', string>,
  width: number,
): string[] {
  const column = measureWidth(code) + gap.length
  const isBeside = width - column >= explanationWidthMin
  const margin = isBeside ? ' '.repeat(column) : hangingIndent
  const mark = explanation.startsWith('# ') ? '# ' : ''
  const room = width - margin.length - mark.length
  const shown = wrapWords(explanation.slice(mark.length), room).map((each) => `${mark}${each}`)
  if (!isBeside) return [...foldCommand(code, width), ...shown.map((each) => `${margin}${each}`)]
  return shown.map((each, index) => (index === 0 ? `${code}${gap}${each}` : `${margin}${each}`))
}

// Words in quotes are one word, and so are a flag and its value.
const splitWords = (line: string) =>
  (line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).reduce<string[]>((words, word) => {
    const last = words.at(-1) ?? ''
    if (/^--?\w\S*$/.test(last) && /^[^-|;&<>]/.test(word)) words[words.length - 1] = `${last} ${word}`
    else words.push(word)
    return words
  }, [])

// A word that is wider than the terminal stays whole.
function foldCommand(line: string, width: number): string[] {
  const [first = '', ...words] = splitWords(line)
  const lines = [first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (measureWidth(longer) + continuation.length <= width) lines[lines.length - 1] = longer
    else lines.push(`${hangingIndent}${word}`)
  }
  return lines.map((each, index) => (index < lines.length - 1 ? `${each}${continuation}` : each))
}
