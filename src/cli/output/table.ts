// Tables and records for people: columns that fit the width, without borders, plain when piped.
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

const toCellText = <T>({value, format: brief}: Column<T>, item: T) => {
  const own = value(item)
  return cleanText(toText(brief ? brief(own, item) : own))
}

interface SizedColumn<T> {
  column: Column<T>
  width: number
}

const getTotalWidth = (sized: ReadonlyArray<{width: number}>) =>
  sized.reduce((sum, {width}) => sum + width, gap * Math.max(0, sized.length - 1))

type WidthFloor = 'widthGood' | 'widthMin'

// Narrows the columns that may be narrowed, the widest first, until all fit; returns undefined where they cannot.
function narrowColumns<T>(
  sized: ReadonlyArray<SizedColumn<T>>,
  room: number,
  floor: WidthFloor,
): Array<SizedColumn<T>> | undefined {
  const fit = sized.map((entry) => ({...entry}))
  const least = ({widthMin, widthGood}: Column<T>) => (floor === 'widthMin' ? widthMin : (widthGood ?? widthMin))
  for (let excess = getTotalWidth(fit) - room; excess > 0; excess--) {
    const widest = fit
      .filter(({column, width}) => width > (least(column) ?? Number.POSITIVE_INFINITY))
      .toSorted((a, b) => b.width - a.width)[0]
    if (!widest) return undefined
    widest.width--
  }
  return fit
}

// Leaves out columns from the highest rank down until the rest fits and reads well; else narrows the few that remain.
function fitColumns<T>(sized: ReadonlyArray<SizedColumn<T>>, room: number): Array<SizedColumn<T>> | undefined {
  const ranks = [...new Set(sized.map(({column}) => column.rank))].toSorted((a, b) => b - a)
  for (const floor of ['widthGood', 'widthMin'] as const) {
    for (const rank of ranks) {
      const kept = sized.filter(({column}) => column.rank <= rank)
      // Down to the two lowest ranks in comfort; which of them must go is decided only in need.
      if (floor === 'widthGood' && rank < (ranks.at(-3) ?? 0)) break
      const fit = narrowColumns(kept, room, floor)
      if (fit) return fit
    }
  }
  return undefined
}

export interface RenderedTable {
  text: string
  // The columns that the width left no room for.
  hidden: string[]
}

// `width` is that of the terminal, or undefined where there is none: then nothing is narrowed or left out.
export function renderTable<T>(
  items: readonly T[],
  columns: ReadonlyArray<Column<T>>,
  painter: Painter,
  width: number | undefined,
): RenderedTable {
  const cells = items.map((item) => columns.map((column) => toCellText(column, item)))
  const sized = columns.map((column, index) => ({
    column,
    width: cells.reduce((most, row) => Math.max(most, stringWidth(row[index] ?? '')), stringWidth(column.header) || 1),
  }))
  const fit = width === undefined ? sized : fitColumns(sized, width)
  if (!fit) return {text: items.map((item) => renderRecord(item, columns, painter)).join('\n'), hidden: []}
  const shown = fit.map(({column}) => columns.indexOf(column))
  const lines = [
    fit.map(({column}) => painter.dim(column.header)),
    ...cells.map((row) => fit.map((entry, place) => toCell(entry, row[shown[place] ?? 0] ?? '', painter))),
  ]
  const text = renderLines(lines, fit)
  return {text, hidden: columns.filter((_, index) => !shown.includes(index)).map(({name}) => name)}
}

const toCell = <T>({column, width}: SizedColumn<T>, text: string, painter: Painter) =>
  paintCell(column, column.wraps ? wrapText(text, width).join('\n') : text, painter)

// The time that cli-table3 takes grows with the square of the rows, so it is given a part of them at a time.
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

// One thing, a line for each field it has; a list inside it takes a line for each of its items.
export function renderRecord<T>(item: T, columns: ReadonlyArray<Column<T>>, painter: Painter): string {
  const lines = columns.flatMap((column) => {
    const own = column.value(item)
    const value = column.format ? column.format(own, item) : own
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

// Fields that the view does not know, which a service may have grown, are shown after those it does.
export function addUnknownFields<T extends object>(view: View<T>, item: T): Array<Column<T>> {
  const known = new Set([...view.columns.map(({name}) => name), ...(view.covers ?? [])])
  const unknown = Object.keys(item).filter((name) => !known.has(name))
  return [
    ...view.columns,
    ...unknown.map((name) => ({
      name,
      header: name,
      value: (whole: T) => (whole as Record<string, unknown>)[name],
      rank: 0,
    })),
  ]
}
