// Summarises the rounds of the rows as ratios, and prints them as one table.
import type {Round, Row} from './row.ts'

interface Spread {
  median: number
  // The middle half.
  low: number
  high: number
}

export interface Figure {
  row: Row
  // By the clock, and by CPU time where it is known.
  figure: Spread
  cpu: Spread | undefined
  own: number
  base: number | undefined
}

function spread(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  const pick = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN
  return values.length === 0 ? undefined : {median: pick(0.5), low: pick(0.25), high: pick(0.75)}
}

const none: Spread = {median: Number.NaN, low: Number.NaN, high: Number.NaN}

export function summarise(row: Row, rounds: readonly Round[]): Figure {
  const cpuRatios = rounds.flatMap(({own, base}) =>
    own.byCpu !== undefined && base?.byCpu !== undefined ? [own.byCpu / base.byCpu] : [],
  )
  return {
    row,
    figure: spread(rounds.map(({own, base}) => own.value / (base?.value ?? 1))) ?? none,
    cpu: spread(cpuRatios),
    own: spread(rounds.map(({own}) => own.value))?.median ?? Number.NaN,
    base: spread(rounds.flatMap(({base}) => (base ? [base.value] : [])))?.median,
  }
}

// As it is printed, so that the table never shows a figure equal to its bound as a failure.
const format = (value: number) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
const formatSpread = ({median, low, high}: Spread) => `${format(median)} (${format(low)}–${format(high)})`

export function isWithinBound({row: {bound}, figure}: Figure): boolean {
  const value = Number(format(figure.median))
  if (!bound) return true
  return 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast
}

const formatBound = ({bound}: Row) => (bound ? ('atMost' in bound ? `≤ ${bound.atMost}` : `≥ ${bound.atLeast}`) : '')

export function renderTable(figures: readonly Figure[]): string {
  const lines = figures.map((each) => [
    each.row.name,
    each.row.title,
    formatSpread(each.figure),
    each.cpu ? formatSpread(each.cpu) : '',
    formatBound(each.row),
    isWithinBound(each) ? '' : 'outside',
  ])
  const table = [['row', 'what', 'figure (middle half)', 'CPU time', 'bound', ''], ...lines]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? []
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const renderValues = ({row, own, base}: Figure) =>
  `${row.name}: ${format(own)} ${row.unit}${base === undefined ? '' : ` to ${format(base)} ${row.unit}, ${row.comparator}`}`
