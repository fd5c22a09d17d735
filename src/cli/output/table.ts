// Renders tables and records that fit the terminal, without borders. In a pipe nothing is narrowed or coloured.
import stringWidth from 'string-width'
import {cleanText} from './clean.ts'
import type {Painter} from './colour.ts'
import {type SizedColumn, fitColumns, gap, measureWidest, sizeColumn} from './fit-columns.ts'
import {truncateToWidth} from './live-line.ts'
import {layOutLines} from './table-layout.ts'
import {type Column, type View, toText} from './view.ts'
import {wrapWords} from './wrap-text.ts'

const formatValue = <T>({value, format}: Column<T>, item: T): unknown =>
  format ? format(value(item), item) : value(item)

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
  const shown = new Set(fit.map(({column}) => column))
  const hidden = columns.filter((column) => !shown.has(column)).map(toLabel)
  const isShortened = ({column, texts}: SizedColumn<T>) =>
    sized.some((whole) => whole.column === column && whole.texts.some((text, row) => text !== texts[row]))
  const shortened = fit.filter(isShortened).map(({column}) => toLabel(column))
  return {text: renderLines(lines, fit), hidden, shortened}
}

function toCell<T>({column, width}: SizedColumn<T>, text: string, painter: Painter): string {
  const fitting = column.wraps
    ? wrapWords(text, width).join('\n')
    : column.keepsLastWord
      ? cutMiddle(text, width)
      : text
  return paintCell(column, fitting, painter)
}

const tailShareMax = 0.7

// Such as "Zoë Ångst… ****6789". A last word that would take most of the room is not kept.
function cutMiddle(text: string, width: number): string {
  const tail = text.slice(text.lastIndexOf(' ') + 1)
  const room = width - measureWidest([tail]) - 1
  const isCut = measureWidest([text]) > width && tail !== text && room >= width * (1 - tailShareMax)
  return isCut ? `${truncateToWidth(text, room + 1).trimEnd()} ${tail}` : text
}

// Cells of one line that fit need only spaces.
function renderLines<T>(lines: string[][], fit: ReadonlyArray<SizedColumn<T>>): string {
  const needsLayout = fit.some(({column, width}, index) =>
    lines.some((row) => column.wraps || measureWidest([row[index] ?? '']) > width),
  )
  if (needsLayout) return layOutLines(lines, fit)
  return lines
    .map(
      (row) =>
        `${fit
          .map((entry, index) => pad(entry, row[index] ?? ''))
          .join(gapText)
          .trimEnd()}\n`,
    )
    .join('')
}

const gapText = ' '.repeat(gap)

function pad<T>({column, width}: SizedColumn<T>, text: string): string {
  const space = ' '.repeat(width - measureWidest([text]))
  return column.align === 'right' ? space + text : text + space
}

const paintCell = <T>(column: Column<T> | undefined, text: string, painter: Painter) =>
  column?.colour === 'status' ? painter.status(text) : text

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
  const labelWidth = measureWidest(fields.map(({label}) => label)) + gap
  const textWidth = width === undefined ? undefined : Math.max(recordTextMin, width - labelWidth)
  // What continues an entry of a list is indented, so that it is not taken for the next entry.
  const wrap = (text: string, isEntry: boolean) => {
    if (textWidth === undefined || measureWidest([text]) <= textWidth) return [text]
    if (!isEntry) return wrapWords(text, textWidth)
    const indent = ' '.repeat(gap)
    return wrapWords(text, textWidth - gap).map((line, index) => (index === 0 ? line : `${indent}${line}`))
  }
  return fields
    .flatMap(({column, label, texts}) =>
      texts
        .flatMap((text) => wrap(text, texts.length > 1))
        .map((text, index) => {
          const shown = index === 0 ? label : ''
          const painted = paintCell(column, text, painter)
          const excess = measureWidest([text]) - (textWidth ?? Number.POSITIVE_INFINITY)
          // A word that is too wide, such as a link, starts on a line of its own, so that as few as possible are broken.
          if (excess > 0) {
            const indent = ' '.repeat(Math.max(0, Math.min(gap, labelWidth - excess)))
            return `${shown && `${painter.dim(shown)}\n`}${indent}${painted}\n`
          }
          return `${painter.dim(shown)}${' '.repeat(labelWidth - stringWidth(shown))}${painted}\n`
        }),
    )
    .join('')
}

const toLabel = <T>({header, name}: Column<T>) => cleanText(header || name.toUpperCase())

// The columns of a record for people. One that is read for them is left out while it only repeats an id.
export function listRecordColumns<T extends object>(view: View<T>, item: T): Array<Column<T>> {
  const isRepeated = ({value, isTableOnly, isId}: Column<T>) =>
    isTableOnly && isId && view.columns.some((other) => !other.isTableOnly && other.value(item) === value(item))
  const shown = view.columns.filter((column) => !column.isPartOfAnother && !isRepeated(column))
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
