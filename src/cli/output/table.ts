// Renders tables and records that fit the terminal, without borders: columns are dropped by their rank, then text is cut. In a pipe
// nothing is narrowed or coloured.
import stringWidth from 'string-width'
import {cutId, findDistinctLength} from '../ids/finder.ts'
import {cleanText} from './clean.ts'
import type {Painter} from './colour.ts'
import {truncateToWidth} from './live-line.ts'
import {layOutLines} from './table-layout.ts'
import {type Column, type ColumnKind, type View, isShownIn, toText} from './view.ts'
import {wrapText, wrapWords} from './wrap-text.ts'

const gap = '  '

const printableAscii = /^[ -~]*$/

// Most text is ASCII, where this takes a fraction of the time.
const measureWidth = (text: string): number => (printableAscii.test(text) ? text.length : stringWidth(text))

const measureWidest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, measureWidth(text)), 0)

const formatValue = <T>({value, format}: Column<T>, item: T): unknown =>
  format ? format(value(item), item) : value(item)

const paint = <T>({kind}: Column<T>, text: string, painter: Painter) =>
  kind === 'status' ? painter.status(text) : text

const toLabel = <T>({header, name}: Column<T>) => cleanText(header || name.toUpperCase())

interface SizedColumn<T> {
  column: Column<T>
  // The cells, in the order of the rows.
  texts: readonly string[]
  width: number
  // The width to which it may be narrowed.
  widthMin: number
}

// What still tells one item from another. Other kinds are shown in full. A column that is never dropped may become narrower.
const widthsMin: Readonly<Partial<Record<ColumnKind, number>>> = {name: 20, text: 32, sentence: 24}
const keptWidthMin = 12

function sizeColumn<T>(column: Column<T>, texts: readonly string[]): SizedColumn<T> {
  const headerWidth = measureWidth(column.header) || 1
  const width = Math.max(measureWidest(texts), headerWidth)
  const isText = column.kind === 'text' || column.kind === 'sentence'
  const usual = (column.kind && widthsMin[column.kind]) ?? width
  const least = isText && column.rank === 0 ? keptWidthMin : usual
  return {column, texts, width, widthMin: Math.min(width, Math.max(least, headerWidth))}
}

const sumWidths = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + gap.length, -gap.length)

const idPattern = /\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?:evt|dlv|we|rule)_[\da-f]{24}(?:_made_up)?)\b/gi

// Shortens the ids of a column as far as they stay different from each other, and as commands still take them.
function shortenIds<T>({column, texts}: SizedColumn<T>): SizedColumn<T> {
  const ids = new Set(texts.flatMap((text) => text.match(idPattern) ?? []))
  const length = findDistinctLength(ids)
  const short = texts.map((text) => text.replace(idPattern, (id) => cutId(id, length)))
  return sizeColumn(column, short)
}

const hasIds = <T>({kind}: Column<T>) => kind === 'id' || kind === 'name' || kind === 'sentence'

// Drops columns by their rank and narrows the others, the widest first, until all fit. Returns undefined if not even the columns
// that are never dropped fit.
function fitColumns<T>(sized: ReadonlyArray<SizedColumn<T>>, widthMax: number): Array<SizedColumn<T>> | undefined {
  // A single column of ids is there to be copied.
  if (sized.length === 1 || sumWidths(sized.map(({width}) => width)) <= widthMax) return [...sized]
  const short = sized.map((entry) => (hasIds(entry.column) ? shortenIds(entry) : {...entry}))
  const kept = new Set<SizedColumn<T>>()
  for (const entry of short.toSorted((a, b) => a.column.rank - b.column.rank)) {
    if (sumWidths([...kept, entry].map(({widthMin}) => widthMin)) <= widthMax) kept.add(entry)
    else if (entry.column.rank === 0) return undefined
  }
  const fit = short.filter((entry) => kept.has(entry))
  for (let excess = sumWidths(fit.map(({width}) => width)) - widthMax; excess > 0; excess--) {
    const [widest] = fit.filter(({width, widthMin}) => width > widthMin).toSorted((a, b) => b.width - a.width)
    if (widest) widest.width--
  }
  return fit
}

export interface RenderedTable {
  text: string
  // The columns that did not fit, as they are headed.
  hidden: string[]
}

// `width` is that of the terminal. Without one, nothing is narrowed or dropped.
export function renderTable<T>(
  items: readonly T[],
  columns: ReadonlyArray<Column<T>>,
  painter: Painter,
  width: number | undefined,
): RenderedTable {
  const sized = columns.map((column) =>
    sizeColumn(
      column,
      items.map((item) => cleanText(toText(formatValue(column, item)))),
    ),
  )
  const fit = width === undefined ? sized : fitColumns(sized, width)
  if (!fit) return {text: items.map((item) => renderRecord(item, columns, painter, width)).join('\n'), hidden: []}
  const lines = [
    fit.map(({column}) => painter.dim(column.header)),
    ...items.map((_, row) => fit.map((entry) => toCell(entry, entry.texts[row] ?? '', painter))),
  ]
  const shown = new Set(fit.map(({column}) => column))
  return {text: renderLines(lines, fit), hidden: columns.filter((column) => !shown.has(column)).map(toLabel)}
}

function toCell<T>({column, width}: SizedColumn<T>, text: string, painter: Painter): string {
  if (measureWidth(text) <= width) return paint(column, text, painter)
  if (column.kind === 'sentence') return wrapText(text, width).join('\n')
  return column.kind === 'name' ? cutMiddle(text, width) : text
}

const tailShareMax = 0.7

// The last digits of an account tell it from others, such as "Zoë Ångst… ****6789". A last word that would take most of the room is
// not kept.
function cutMiddle(text: string, width: number): string {
  const tail = text.slice(text.lastIndexOf(' ') + 1)
  const room = width - measureWidth(tail) - 1
  const isKept = tail !== text && room >= width * (1 - tailShareMax)
  return isKept ? `${truncateToWidth(text, room + 1).trimEnd()} ${tail}` : text
}

// Cells of one line that fit need only spaces, which takes a fraction of the time.
function renderLines<T>(lines: string[][], fit: ReadonlyArray<SizedColumn<T>>): string {
  const cells = fit.map(({column, width}) => ({width, isNumber: column.kind === 'number'}))
  const isWide = (text: string, index: number) => text.includes('\n') || measureWidth(text) > (cells[index]?.width ?? 0)
  if (lines.some((row) => row.some(isWide))) return layOutLines(lines, cells, gap)
  const pad = (text: string, index: number) => {
    const space = ' '.repeat((cells[index]?.width ?? 0) - measureWidth(text))
    return cells[index]?.isNumber ? space + text : text + space
  }
  return lines.map((row) => `${row.map(pad).join(gap).trimEnd()}\n`).join('')
}

const recordTextMin = 20

// One item, with a line per field. A list inside it takes a line per entry, and text that is wider than the terminal wraps.
export function renderRecord<T>(
  item: T,
  columns: ReadonlyArray<Column<T>>,
  painter: Painter,
  width: number | undefined,
): string {
  const fields = columns.flatMap((column) => {
    const value = formatValue(column, item)
    const values = Array.isArray(value) && value.length > 0 ? value : [value]
    const texts = values.map((entry) => cleanText(toText(entry))).filter((text) => text !== '')
    return texts.length > 0 ? [{column, label: toLabel(column), texts}] : []
  })
  const labelWidth = measureWidest(fields.map(({label}) => label)) + gap.length
  const textWidth = width === undefined ? Number.POSITIVE_INFINITY : Math.max(recordTextMin, width - labelWidth)
  // What continues an entry of a list is indented, so that it is not taken for the next entry.
  const wrap = (text: string, indent: string) =>
    measureWidth(text) <= textWidth
      ? [text]
      : wrapWords(text, textWidth - indent.length).map((line, index) => (index === 0 ? line : `${indent}${line}`))
  return fields
    .flatMap(({column, label, texts}) =>
      texts
        .flatMap((text) => wrap(text, texts.length > 1 ? gap : ''))
        .map((text, index) => {
          const shown = index === 0 ? label : ''
          const painted = paint(column, text, painter)
          // A word that is too wide, such as a link, starts on a line of its own, so that as few as possible are broken.
          if (measureWidth(text) > textWidth) return `${shown && `${painter.dim(shown)}\n`}${painted}\n`
          return `${painter.dim(shown)}${' '.repeat(labelWidth - measureWidth(shown))}${painted}\n`
        }),
    )
    .join('')
}

// The columns of a record for people. A name is left out while it only repeats an id.
export function listRecordColumns<T extends object>(view: View<T>, item: T): Array<Column<T>> {
  const isRepeated = ({kind, value}: Column<T>) =>
    kind === 'name' && view.columns.some((other) => other.kind === 'id' && other.value(item) === value(item))
  const shown = view.columns.filter((column) => isShownIn('record', column) && !isRepeated(column))
  return addUnknownFields(view, item, shown)
}

// Adds columns for fields that the view does not know, because the service may have new ones.
export function addUnknownFields<T extends object>(
  view: View<T>,
  item: T,
  columns: ReadonlyArray<Column<T>>,
): Array<Column<T>> {
  const known = new Set([...view.columns.map(({name}) => name), ...(view.covers ?? [])])
  const unknown = Object.keys(item).filter((name) => !known.has(name))
  const toColumn = (name: string) => ({name, header: name, value: (whole: T) => Reflect.get(whole, name), rank: 0})
  return [...columns, ...unknown.map(toColumn)]
}
