// Fits the columns of a table to the terminal: ids are shortened first, then columns are dropped, then free text is cut.
import stringWidth from 'string-width'
import {cutId, findDistinctLength} from '../ids/finder.ts'
import type {Column} from './view.ts'

export const gap = 2

const printableAscii = /^[ -~]*$/

// Most text is ASCII, where this takes a fraction of the time.
const measureWidth = (text: string): number => (printableAscii.test(text) ? text.length : stringWidth(text))

export const measureWidest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, measureWidth(text)), 0)

export interface SizedColumn<T> {
  column: Column<T>
  // The cells of the column, in the order of the rows.
  texts: readonly string[]
  width: number
  // The widest word, for a column that wraps.
  wordWidth: number
  // The last column can be wider than the terminal, so a long word in it leaves the others as they are.
  isLast: boolean
}

export function sizeColumn<T>(column: Column<T>, texts: readonly string[], isLast: boolean): SizedColumn<T> {
  const wordWidth = column.wraps ? measureWidest(texts.flatMap((text) => text.split(' '))) : 0
  const width = Math.max(measureWidest(texts), stringWidth(column.header) || 1)
  return {column, texts, width, wordWidth, isLast}
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

// Drops columns from the highest rank down until the rest fits at a good width. The three lowest ranks are narrowed to
// the minimum width before more is dropped.
function dropColumns<T>(sized: ReadonlyArray<SizedColumn<T>>, widthMax: number): Array<SizedColumn<T>> | undefined {
  const ranks = [...new Set(sized.map(({column}) => column.rank))].toSorted((a, b) => b - a)
  const lastGood = ranks.at(-3) ?? ranks[0] ?? 0
  const tries = [
    ...ranks.filter((rank) => rank >= lastGood).map((rank) => ({rank, floor: 'widthGood' as const})),
    ...ranks.filter((rank) => rank <= lastGood).map((rank) => ({rank, floor: 'widthMin' as const})),
  ]
  for (const {rank, floor} of tries) {
    const kept = sized.filter(({column}) => column.rank <= rank)
    const fit = narrowColumns(kept, widthMax, floor)
    if (fit) return addWhatFits(fit, sized, widthMax)
  }
  return undefined
}

// Puts dropped columns back that still fit. A narrow column may have been dropped together with a wide one of its rank, or
// after it. If only columns are shown that are never dropped, it gets its minimum width.
function addWhatFits<T>(
  fit: Array<SizedColumn<T>>,
  sized: ReadonlyArray<SizedColumn<T>>,
  widthMax: number,
): Array<SizedColumn<T>> {
  const isKept = ({column}: SizedColumn<T>) => fit.some((entry) => entry.column === column)
  const candidates = sized.filter((entry) => !isKept(entry)).toSorted((a, b) => a.column.rank - b.column.rank)
  return candidates.reduce((shown, candidate) => {
    const columns = new Set([...shown, candidate].map(({column}) => column))
    const more = sized.filter(({column}) => columns.has(column))
    const isBare = shown.every(({column}) => column.rank === 0)
    const floors = isBare ? (['widthGood', 'widthMin'] as const) : (['widthGood'] as const)
    return floors.map((floor) => narrowColumns(more, widthMax, floor)).find(Boolean) ?? shown
  }, fit)
}

const idPattern = /\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?:evt|dlv|we|rule)_[\da-f]{24}(?:_made_up)?)\b/gi

// Shortens the ids of a column as far as they stay different from each other.
function shortenIds(texts: readonly string[]): readonly string[] {
  const ids = new Set(texts.flatMap((text) => text.match(idPattern) ?? []))
  const length = findDistinctLength(ids)
  return texts.map((text) => text.replace(idPattern, (id) => cutId(id, length)))
}

// Ids are complete where room is left that no other column can use.
const lengthenIds = <T>(
  fit: ReadonlyArray<SizedColumn<T>>,
  sized: ReadonlyArray<SizedColumn<T>>,
  widthMax: number,
): ReadonlyArray<SizedColumn<T>> =>
  fit.reduce((shown, {column}, index) => {
    const full = sized.find((entry) => entry.column === column)
    if (!column.isId || !full) return shown
    const longer = shown.with(index, full)
    return getTotalWidth(longer) <= widthMax ? longer : shown
  }, fit)

// Returns undefined if not even the columns that are never dropped fit.
export function fitColumns<T>(
  sized: ReadonlyArray<SizedColumn<T>>,
  widthMax: number,
): ReadonlyArray<SizedColumn<T>> | undefined {
  // A single column of ids is there to be copied.
  if (sized.length === 1 || getTotalWidth(sized) <= widthMax) return dropColumns(sized, widthMax)
  const short = sized.map((entry) =>
    entry.column.isId ? sizeColumn(entry.column, shortenIds(entry.texts), entry.isLast) : entry,
  )
  const fit = dropColumns(short, widthMax)
  return fit && lengthenIds(fit, sized, widthMax)
}
