// Renders tables and records that fit the terminal, without borders: columns are dropped by their rank, then text is cut. In a pipe
// nothing is narrowed or coloured.
import stringWidth from 'string-width'
import {cutId, findDistinctLength} from '../ids/finder.ts'
import {cleanText} from './clean.ts'
import type {Painter} from './colour.ts'
import {truncateToWidth} from './live-line.ts'
import {layOutLines} from './table-layout.ts'
import {type Column, type ColumnKind, type View, isShownIn, toText} from './view.ts'
import {wrapWords} from './wrap-text.ts'

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

interface SizedColumn<T> {
  column: Column<T>
  // The cells, in the order of the rows.
  texts: readonly string[]
  width: number
  // The width to which it may be narrowed.
  widthMin: number
}

// What still tells one item from another. A column that is never dropped may become narrower.
const widthsMin: Readonly<Partial<Record<ColumnKind, number>>> = {name: 20, text: 32, sentence: 24}
const keptWidthMin = 12

function sizeColumn<T>(column: Column<T>, texts: readonly string[], isLast: boolean): SizedColumn<T> {
  const {kind, rank, header} = column
  const width = Math.max(measureWidest(texts), measureWidth(header) || 1)
  const usual = kind && widthsMin[kind]
  const least = usual === undefined ? width : rank === 0 && kind !== 'name' ? keptWidthMin : usual
  // Words are never broken. The last column can be wider than the terminal.
  const word = kind === 'sentence' && !isLast ? measureWidest(texts.flatMap((text) => text.split(' '))) : 0
  return {column, texts, width, widthMin: Math.min(width, Math.max(least, word, measureWidth(header)))}
}

const sumWidths = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + gap.length, -gap.length)

const idPattern = /\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?:evt|dlv|we|rule)_[\da-f]{24}(?:_made_up)?)\b/gi

// Shortens the ids of a column as far as they stay different from each other.
function shortenIds(texts: readonly string[]): readonly string[] {
  const ids = new Set(texts.flatMap((text) => text.match(idPattern) ?? []))
  const length = findDistinctLength(ids)
  return texts.map((text) => text.replace(idPattern, (id) => cutId(id, length)))
}

const hasIds = <T>({kind}: Column<T>) => kind === 'id' || kind === 'name' || kind === 'sentence'

// Returns undefined if not even the columns that are never dropped fit.
function fitColumns<T>(
  sized: ReadonlyArray<SizedColumn<T>>,
  widthMax: number,
): ReadonlyArray<SizedColumn<T>> | undefined {
  // A single column of ids is there to be copied.
  if (sized.length === 1 || sumWidths(sized.map(({width}) => width)) <= widthMax) return sized
  const short = sized.map(({column, texts}, index) =>
    sizeColumn(column, hasIds(column) ? shortenIds(texts) : texts, index === sized.length - 1),
  )
  const kept = new Set<SizedColumn<T>>()
  for (const entry of short.toSorted((a, b) => a.column.rank - b.column.rank)) {
    if (sumWidths([...kept, entry].map(({widthMin}) => widthMin)) <= widthMax) kept.add(entry)
    else if (entry.column.rank === 0) return undefined
  }
  return narrowColumns(
    short.filter((entry) => kept.has(entry)),
    widthMax,
  )
}

// Narrows columns, the widest first, until all fit.
function narrowColumns<T>(columns: ReadonlyArray<SizedColumn<T>>, widthMax: number): ReadonlyArray<SizedColumn<T>> {
  const fit = columns.map((entry) => ({...entry}))
  for (let excess = sumWidths(fit.map(({width}) => width)) - widthMax; excess > 0; excess--) {
    const widest = fit.filter(({width, widthMin}) => width > widthMin).toSorted((a, b) => b.width - a.width)[0]
    if (widest) widest.width--
  }
  return fit
}

export interface RenderedTable {
  text: string
  // The columns that did not fit, as they are headed.
  hidden: string[]
  // The columns whose ids are shortened, as they are headed.
  shortened: string[]
}

// `width` is that of the terminal. Without one, nothing is narrowed or dropped.
export function renderTable<T>(
  items: readonly T[],
  columns: ReadonlyArray<Column<T>>,
  painter: Painter,
  width: number | undefined,
): RenderedTable {
  const sized = columns.map((column, index) => {
    const texts = items.map((item) => cleanText(toText(formatValue(column, item))))
    return sizeColumn(column, texts, index === columns.length - 1)
  })
  const fit = width === undefined ? sized : fitColumns(sized, width)
  if (!fit) {
    const text = items.map((item) => renderRecord(item, columns, painter, width)).join('\n')
    return {text, hidden: [], shortened: []}
  }
  const lines = [
    fit.map(({column}) => painter.dim(column.header)),
    ...items.map((_, row) => fit.map((entry) => toCell(entry, entry.texts[row] ?? '', painter))),
  ]
  const isShown = (column: Column<T>) => fit.some((entry) => entry.column === column)
  const isShortened = ({column, texts}: SizedColumn<T>) =>
    hasIds(column) &&
    sized.every((whole) => whole.column !== column || whole.texts.some((text, row) => text !== texts[row]))
  return {
    text: renderLines(lines, fit),
    hidden: columns.filter((column) => !isShown(column)).map(toLabel),
    shortened: fit.filter(isShortened).map(({column}) => toLabel(column)),
  }
}

function toCell<T>({column, width}: SizedColumn<T>, text: string, painter: Painter): string {
  if (measureWidth(text) <= width) return paint(column, text, painter)
  if (column.kind === 'sentence') return wrapWords(text, width).join('\n')
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

// Cells of one line that fit need only spaces.
function renderLines<T>(lines: string[][], fit: ReadonlyArray<SizedColumn<T>>): string {
  // A word that is wider than the last column is shown in full; the terminal breaks its line.
  const widths = fit.map(({column, width}, index) =>
    column.kind === 'sentence'
      ? Math.max(width, measureWidest(lines.flatMap((row) => row[index]?.split('\n') ?? [])))
      : width,
  )
  const isNumber = fit.map(({column}) => column.kind === 'number')
  if (
    lines.some((row) => row.some((text, index) => text.includes('\n') || measureWidth(text) > (widths[index] ?? 0)))
  ) {
    const columns = widths.map((width, index) => ({width, isNumber: isNumber[index] ?? false}))
    return layOutLines(lines, columns, gap)
  }
  const pad = (text: string, index: number) => {
    const space = ' '.repeat((widths[index] ?? 0) - measureWidth(text))
    return isNumber[index] ? space + text : text + space
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
          const excess = measureWidth(text) - textWidth
          // A word that is too wide, such as a link, starts on a line of its own, so that as few as possible are broken.
          if (excess > 0) {
            const indent = ' '.repeat(Math.max(0, Math.min(gap.length, labelWidth - excess)))
            return `${shown && `${painter.dim(shown)}\n`}${indent}${painted}\n`
          }
          return `${painter.dim(shown)}${' '.repeat(labelWidth - measureWidth(shown))}${painted}\n`
        }),
    )
    .join('')
}

const toLabel = <T>({header, name}: Column<T>) => cleanText(header || name.toUpperCase())

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
  return [
    ...columns,
    ...unknown.map((name) => ({
      name,
      header: name,
      value: (whole: T): unknown => Reflect.get(whole, name),
      rank: 0,
    })),
  ]
}
