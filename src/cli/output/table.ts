// Renders tables and records that fit the terminal, without borders. In a pipe nothing is narrowed or coloured.
import Table from 'cli-table3'
import stringWidth from 'string-width'
import {cleanText} from './clean.ts'
import type {Painter} from './colour.ts'
import {type Column, type View, toText} from './view.ts'
import {wrapWords} from './wrap-text.ts'

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
  // The widest word, for a column that wraps.
  wordWidth: number
  // The last column can be wider than the terminal, so a long word in it leaves the others as they are.
  isLast: boolean
}

const getTotalWidth = (sized: ReadonlyArray<{width: number}>) =>
  sized.reduce((sum, {width}) => sum + width, gap * Math.max(0, sized.length - 1))

type WidthFloor = 'widthGood' | 'widthMin'

// The width below which a column is not narrowed. A status is always complete, and words are never broken.
function getFloor<T>({column, wordWidth, isLast}: SizedColumn<T>, floor: WidthFloor): number {
  const {widthMin, widthGood, colour, wraps} = column
  const least = floor === 'widthMin' ? widthMin : (widthGood ?? widthMin)
  if (least === undefined || colour === 'status') return Number.POSITIVE_INFINITY
  return wraps && !isLast ? Math.max(least, wordWidth) : least
}

// Narrows columns, the widest first, until all fit. Returns undefined if they cannot.
function narrowColumns<T>(
  sized: ReadonlyArray<SizedColumn<T>>,
  widthMax: number,
  floor: WidthFloor,
): Array<SizedColumn<T>> | undefined {
  const fit = sized.map((entry) => ({...entry}))
  for (let excess = getTotalWidth(fit) - widthMax; excess > 0; excess--) {
    const widest = fit.filter((entry) => entry.width > getFloor(entry, floor)).toSorted((a, b) => b.width - a.width)[0]
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
      if (fit) return rank > 0 ? fit : addWhatFits(fit, sized, widthMax)
    }
  }
  return undefined
}

// If only the columns that are never dropped were left, one of lower importance may still fit beside them.
function addWhatFits<T>(
  fit: Array<SizedColumn<T>>,
  sized: ReadonlyArray<SizedColumn<T>>,
  widthMax: number,
): Array<SizedColumn<T>> {
  const isKept = ({column}: SizedColumn<T>) => fit.some((entry) => entry.column === column)
  const candidates = sized.filter((entry) => !isKept(entry)).toSorted((a, b) => a.column.rank - b.column.rank)
  for (const candidate of candidates) {
    const wider = narrowColumns(
      sized.filter((entry) => isKept(entry) || entry === candidate),
      widthMax,
      'widthMin',
    )
    if (wider) return wider
  }
  return fit
}

const printableAscii = /^[ -~]*$/

// Most text is ASCII, where this takes a fraction of the time.
const measure = (text: string) => (printableAscii.test(text) ? text.length : stringWidth(text))

const measureWidest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, measure(text)), 0)

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
  const sized = columns.map((column, index) => {
    const texts = cells.map((row) => row[index] ?? '')
    const wordWidth = column.wraps ? measureWidest(texts.flatMap((text) => text.split(' '))) : 0
    const textWidth = Math.max(measureWidest(texts), stringWidth(column.header) || 1)
    return {column, width: textWidth, wordWidth, isLast: index === columns.length - 1}
  })
  const fit = width === undefined ? sized : fitColumns(sized, width)
  if (!fit) return {text: items.map((item) => renderRecord(item, columns, painter, width)).join('\n'), hidden: []}
  const shown = fit.map(({column}) => columns.indexOf(column))
  const lines = [
    fit.map(({column}) => painter.dim(column.header)),
    ...cells.map((row) => fit.map((entry, position) => toCell(entry, row[shown[position] ?? 0] ?? '', painter))),
  ]
  const text = renderLines(lines, fit)
  return {text, hidden: columns.filter((_, index) => !shown.includes(index)).map(({name}) => name)}
}

const toCell = <T>({column, width}: SizedColumn<T>, text: string, painter: Painter) =>
  paintCell(column, column.wraps ? wrapWords(text, width).join('\n') : text, painter)

// The time that cli-table3 takes grows with the square of the rows, so it gets a part of them at a time.
const rowsAtOnce = 200

function renderLines<T>(lines: string[][], fit: ReadonlyArray<SizedColumn<T>>): string {
  // A word that is wider than the last column is shown in full; the terminal breaks its line.
  const widths = fit.map(({column, width, isLast}, index) =>
    column.wraps && isLast
      ? measureWidest([' '.repeat(width), ...lines.flatMap((row) => row[index]?.split('\n') ?? [])])
      : width,
  )
  let text = ''
  for (let start = 0; start < lines.length; start += rowsAtOnce) {
    const table = new Table({
      chars: noBorders,
      style: {head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true},
      colWidths: widths,
      colAligns: fit.map(({column}) => column.align ?? 'left'),
    })
    table.push(...lines.slice(start, start + rowsAtOnce))
    for (const line of table.toString().split('\n')) text += `${line.trimEnd()}\n`
  }
  return text
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
  const wrap = (text: string) => (textWidth === undefined ? [text] : wrapWords(text, textWidth))
  return fields
    .flatMap(({column, label, texts}) =>
      texts.flatMap(wrap).map((text, index) => {
        const shown = index === 0 ? label : ''
        const space = ' '.repeat(labelWidth - stringWidth(shown))
        return `${painter.dim(shown)}${space}${paintCell(column, text, painter)}\n`
      }),
    )
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
