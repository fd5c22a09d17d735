// Renders tables and records that fit the terminal, without borders. In a pipe nothing is narrowed or coloured.
import Table from 'cli-table3'
import stringWidth from 'string-width'
import {cleanText} from './clean.ts'
import type {Painter} from './colour.ts'
import {type Column, type View, toText} from './view.ts'
import {wrapText} from './wrap-text.ts'

const gap = 2
const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(gap),
}

const formatValue = <T>({value, format}: Column<T>, item: T): unknown =>
  format ? format(value(item), item) : value(item)

interface SizedColumn<T> {
  column: Column<T>
  width: number
}

const getTotalWidth = (sized: ReadonlyArray<{width: number}>) =>
  sized.reduce((sum, {width}) => sum + width, gap * Math.max(0, sized.length - 1))

type WidthFloor = 'widthGood' | 'widthMin'

// Narrows columns, the widest first, until all fit. Returns undefined if they cannot.
function narrowColumns<T>(
  sized: ReadonlyArray<SizedColumn<T>>,
  widthMax: number,
  floor: WidthFloor,
): Array<SizedColumn<T>> | undefined {
  const fit = sized.map((entry) => ({...entry}))
  const least = ({widthMin, widthGood}: Column<T>) => (floor === 'widthMin' ? widthMin : (widthGood ?? widthMin))
  for (let excess = getTotalWidth(fit) - widthMax; excess > 0; excess--) {
    const widest = fit
      .filter(({column, width}) => width > (least(column) ?? Number.POSITIVE_INFINITY))
      .toSorted((a, b) => b.width - a.width)[0]
    if (!widest) return undefined
    widest.width--
  }
  return fit
}

// Drops columns from the highest rank down until the rest fits at a good width, or else at the minimum width.
function fitColumns<T>(sized: ReadonlyArray<SizedColumn<T>>, widthMax: number): Array<SizedColumn<T>> | undefined {
  const ranks = [...new Set(sized.map(({column}) => column.rank))].toSorted((a, b) => b - a)
  for (const floor of ['widthGood', 'widthMin'] as const) {
    for (const rank of ranks) {
      const kept = sized.filter(({column}) => column.rank <= rank)
      // The two lowest ranks are dropped only if they do not fit at the minimum width either.
      if (floor === 'widthGood' && rank < (ranks.at(-3) ?? 0)) break
      const fit = narrowColumns(kept, widthMax, floor)
      if (fit) return fit
    }
  }
  return undefined
}

export interface RenderedTable {
  text: string
  // The columns that did not fit.
  hidden: string[]
}

// `width` is that of the terminal. Without one, nothing is narrowed or dropped.
export function renderTable<T>(
  items: readonly T[],
  columns: ReadonlyArray<Column<T>>,
  painter: Painter,
  width: number | undefined,
): RenderedTable {
  const cells = items.map((item) => columns.map((column) => cleanText(toText(formatValue(column, item)))))
  const sized = columns.map((column, index) => ({
    column,
    width: cells.reduce((most, row) => Math.max(most, stringWidth(row[index] ?? '')), stringWidth(column.header) || 1),
  }))
  const fit = width === undefined ? sized : fitColumns(sized, width)
  if (!fit) return {text: items.map((item) => renderRecord(item, columns, painter)).join('\n'), hidden: []}
  const shown = fit.map(({column}) => columns.indexOf(column))
  const lines = [
    fit.map(({column}) => painter.dim(column.header)),
    ...cells.map((row) => fit.map((entry, position) => toCell(entry, row[shown[position] ?? 0] ?? '', painter))),
  ]
  const text = renderLines(lines, fit)
  return {text, hidden: columns.filter((_, index) => !shown.includes(index)).map(({name}) => name)}
}

const toCell = <T>({column, width}: SizedColumn<T>, text: string, painter: Painter) =>
  paintCell(column, column.wraps ? wrapText(text, width).join('\n') : text, painter)

// The time that cli-table3 takes grows with the square of the rows, so it gets a part of them at a time.
const rowsAtOnce = 200

function renderLines<T>(lines: string[][], fit: ReadonlyArray<SizedColumn<T>>): string {
  let text = ''
  for (let start = 0; start < lines.length; start += rowsAtOnce) {
    const table = new Table({
      chars: noBorders,
      style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true},
      colWidths: fit.map(({width}) => width),
      colAligns: fit.map(({column}) => column.align ?? 'left'),
    })
    table.push(...lines.slice(start, start + rowsAtOnce))
    for (const line of table.toString().split('\n')) text += `${line.trimEnd()}\n`
  }
  return text
}

const paintCell = <T>(column: Column<T> | undefined, text: string, painter: Painter) =>
  column?.colour === 'status' ? painter.status(text) : text

// One item, with a line per field. A list inside it takes a line per entry.
export function renderRecord<T>(item: T, columns: ReadonlyArray<Column<T>>, painter: Painter): string {
  const lines = columns.flatMap((column) => {
    const value = formatValue(column, item)
    const values = Array.isArray(value) && value.length > 0 ? value : [value]
    return values
      .map((entry) => cleanText(toText(entry)))
      .filter((text) => text !== '')
      .map((text, index) => ({label: index === 0 ? toLabel(column) : '', text: paintCell(column, text, painter)}))
  })
  const labelWidth = Math.max(...lines.map(({label}) => stringWidth(label)), 0) + gap
  return lines
    .map(({label, text}) => `${painter.dim(label)}${' '.repeat(labelWidth - stringWidth(label))}${text}\n`)
    .join('')
}

const toLabel = <T>({header, name}: Column<T>) => cleanText(header || name.toUpperCase())

// Adds columns for fields that the view does not know, because the service may have new ones.
export function addUnknownFields<T extends object>(view: View<T>, item: T): Array<Column<T>> {
  const known = new Set([...view.columns.map(({name}) => name), ...(view.covers ?? [])])
  const unknown = Object.keys(item).filter((name) => !known.has(name))
  return [
    ...view.columns.filter(({isTableOnly}) => !isTableOnly),
    ...unknown.map((name) => ({
      name,
      header: name,
      value: (whole: T): unknown => Reflect.get(whole, name),
      rank: 0,
    })),
  ]
}
