// Reads the Markdown that the pages of docs/ use: headings, paragraphs, lists, tables and code.

export type Block =
  | {kind: 'heading'; level: number; text: string}
  | {kind: 'paragraph'; text: string}
  | {kind: 'list'; items: Array<{marker: string; text: string}>}
  | {kind: 'table'; rows: string[][]}
  | {kind: 'code'; lines: string[]; language?: string}

const heading = /^(#{1,6}) (.*)$/
const fence = /^```/
const listItem = /^(-|\d+\.) +(.*)$/
const tableRow = /^\|(.*)\|\s*$/
const tableRule = /^\|[\s:|-]+\|\s*$/
const indented = /^ {4}/

const splitCells = (row: string) =>
  (tableRow.exec(row)?.[1] ?? '').split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))

// Takes lines from the front as long as they match.
function takeWhile(lines: string[], matches: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !matches(line))
  return lines.splice(0, end === -1 ? lines.length : end)
}

const isPlain = (line: string) =>
  line !== '' && !heading.test(line) && !fence.test(line) && !tableRow.test(line) && !listItem.test(line)

function readList(lines: string[]): Block {
  const items: Array<{marker: string; text: string}> = []
  for (let match = listItem.exec(lines[0] ?? ''); match; match = listItem.exec(lines[0] ?? '')) {
    lines.shift()
    const more = takeWhile(lines, isPlain).map((line) => line.trim())
    items.push({marker: match[1] ?? '-', text: [match[2], ...more].join(' ')})
  }
  return {kind: 'list', items}
}

function readCode(lines: string[]): Block {
  const [language = ''] = lines.shift()?.replace(fence, '').split(' ') ?? []
  const code = takeWhile(lines, (line) => !fence.test(line))
  lines.shift()
  return {kind: 'code', lines: code, ...(language !== '' && {language})}
}

// Blank lines inside indented code belong to it, those behind it do not.
function readIndentedCode(lines: string[]): Block {
  const code = takeWhile(lines, (line) => line === '' || indented.test(line)).map((line) => line.replace(indented, ''))
  while (code.at(-1) === '') code.pop()
  return {kind: 'code', lines: code}
}

function readBlock(lines: string[]): Block {
  const [first = ''] = lines
  const [, marks = '', text = ''] = heading.exec(first) ?? []
  if (marks !== '') {
    lines.shift()
    return {kind: 'heading', level: marks.length, text}
  }
  if (fence.test(first)) return readCode(lines)
  if (indented.test(first)) return readIndentedCode(lines)
  if (listItem.test(first)) return readList(lines)
  if (tableRow.test(first)) {
    const rows = takeWhile(lines, (line) => tableRow.test(line)).filter((line) => !tableRule.test(line))
    return {kind: 'table', rows: rows.map(splitCells)}
  }
  return {kind: 'paragraph', text: [lines.shift(), ...takeWhile(lines, isPlain)].join(' ')}
}

export function parseMarkdown(source: string): Block[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  for (;;) {
    takeWhile(lines, (line) => line.trim() === '')
    if (lines.length === 0) return blocks
    blocks.push(readBlock(lines))
  }
}

export type Span =
  | {kind: 'text' | 'code' | 'bold' | 'emphasis'; text: string}
  | {kind: 'link'; text: string; target: string; isImage?: true}

const span = /`([^`]+)`|!?\[([^\]]*)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g

// Bold text and the text of a link may contain code.
export function parseSpans(text: string): Span[] {
  const spans: Span[] = []
  let end = 0
  for (const match of text.matchAll(span)) {
    if (match.index > end) spans.push({kind: 'text', text: text.slice(end, match.index)})
    const [whole, code, label, target, bold, emphasis] = match
    if (code !== undefined) spans.push({kind: 'code', text: code})
    else if (target !== undefined) {
      const isImage = whole.startsWith('!') && ({isImage: true} as const)
      spans.push({kind: 'link', text: (label ?? '').replaceAll('`', ''), target, ...isImage})
    } else
      spans.push(
        bold !== undefined ? {kind: 'bold', text: bold.replaceAll('`', '')} : {kind: 'emphasis', text: emphasis ?? ''},
      )
    end = match.index + whole.length
  }
  if (end < text.length) spans.push({kind: 'text', text: text.slice(end)})
  return spans
}

// The text without its marks.
export const toPlainText = (text: string) =>
  parseSpans(text)
    .map((part) => part.text)
    .join('')

// Whether a block is a picture and nothing else.
export function isPicture(block: Block): boolean {
  const [first, ...others] = block.kind === 'paragraph' ? parseSpans(block.text) : []
  return first?.kind === 'link' && first.isImage === true && others.length === 0
}
