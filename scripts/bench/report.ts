// Summarises the rounds of the rows as ratios, and prints them as one table.
import type {Bound, Measured, Round, Row, SizeCost} from './row.ts'

export interface Spread {
  median: number
  // The middle half.
  low: number
  high: number
}

export interface Figure {
  name: string
  title: string
  unit: string
  rounds: number
  // By the clock, and by CPU time where it is known.
  figure: Spread
  cpu?: Spread
  bound?: Bound
  own: number
  base?: number
  sizes?: readonly SizeCost[]
  exponent?: number
  note?: string
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const pick = (share: number) => {
    const at = (sorted.length - 1) * share
    const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
    return below + (above - below) * (at - Math.floor(at))
  }
  return {median: pick(0.5), low: pick(0.25), high: pick(0.75)}
}

// The slope of the logarithms, by least squares: 0 is no growth, 1 is proportional.
function computeExponent(sizes: readonly SizeCost[]): number {
  const points = sizes.map(({size, value}) => ({x: Math.log(size), y: Math.log(value)}))
  const mean = (read: (point: {x: number; y: number}) => number) =>
    points.reduce((sum, point) => sum + read(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  return mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
}

const toRatio = (own: number, base: number | undefined) => (base === undefined ? own : own / base)

function spreadCpu(rounds: readonly Round[]): Spread | undefined {
  const ratios = rounds.flatMap(({own, base}) =>
    own.byCpu !== undefined && base?.byCpu !== undefined ? [own.byCpu / base.byCpu] : [],
  )
  return ratios.length > 0 ? spread(ratios) : undefined
}

export function summarise(row: Row, {rounds, sizes, note}: Measured): Figure {
  const bases = rounds.flatMap(({base}) => (base ? [base.value] : []))
  const cpu = spreadCpu(rounds)
  return {
    name: row.name,
    title: row.title,
    unit: row.unit,
    rounds: rounds.length,
    figure: spread(rounds.map(({own, base}) => toRatio(own.value, base?.value))),
    ...(cpu && {cpu}),
    ...(row.bound && {bound: row.bound}),
    own: spread(rounds.map(({own}) => own.value)).median,
    ...(bases.length > 0 && {base: spread(bases).median}),
    ...(sizes && {sizes, exponent: computeExponent(sizes)}),
    ...(note !== undefined && {note}),
  }
}

// Judged by the clock, or by CPU time on a machine that other work keeps busy.
export function isWithinBound({bound, figure, cpu}: Figure, byCpu: boolean): boolean {
  if (!bound) return true
  const value = rounded(((byCpu && cpu) || figure).median)
  return 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast
}

// As it is printed, so that the table never shows a figure equal to its bound as a failure.
const rounded = (value: number) => Number(format(value))
const format = (value: number) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
const formatSpread = ({median, low, high}: Spread) => `${format(median)} (${format(low)}–${format(high)})`
const formatBound = (bound: Bound) => ('atMost' in bound ? `≤ ${bound.atMost}` : `≥ ${bound.atLeast}`)

function formatSize(size: number): string {
  if (size < 1_000) return String(size)
  return size < 1_000_000 ? `${Math.round(size / 100) / 10}k` : `${size / 1_000_000}M`
}

// More is better where the bound is a least one.
function formatChange(figure: Figure, before: Figure | undefined, byCpu: boolean): string {
  if (!before) return ''
  const pick = (one: Figure) => (byCpu && one.cpu) || one.figure
  const [now, then] = [pick(figure), pick(before)]
  // Within the noise of either run, a difference says nothing.
  const isNoise = now.low <= then.high && then.low <= now.high
  return `${format(then.median)} ${isNoise ? '=' : now.median > then.median ? '↑' : '↓'}`
}

interface TableOptions {
  before?: ReadonlyMap<string, Figure>
  byCpu: boolean
}

export function renderTable(figures: readonly Figure[], {before, byCpu}: TableOptions): string {
  const heads = [
    'row',
    'what',
    'figure (middle half)',
    'CPU time',
    'bound',
    'growth',
    ...(before ? ['before'] : []),
    '',
  ]
  const lines = figures.map((figure) => [
    figure.name,
    figure.title,
    formatSpread(figure.figure) + (figure.base === undefined ? ` ${figure.unit}` : ''),
    figure.cpu ? formatSpread(figure.cpu) : '',
    figure.bound ? formatBound(figure.bound) : '',
    figure.exponent === undefined ? '' : `n^${figure.exponent.toFixed(2)}`,
    ...(before ? [formatChange(figure, before.get(figure.name), byCpu)] : []),
    isWithinBound(figure, byCpu) ? '' : 'outside',
  ])
  const widths = heads.map((_, column) => Math.max(...[heads, ...lines].map((line) => line[column]?.length ?? 0)))
  return [heads, ...lines]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

// What stands behind the table: the values, the sizes, and what each comparator leaves out.
export function renderDetails(figures: readonly Figure[], rows: readonly Row[]): string {
  const comparators = new Map<string, string>()
  const lines = figures.map(({name, own, base, unit, rounds, sizes, note}) => {
    const {comparator, sizeUnit = ''} = rows.find((row) => row.name === name) ?? {}
    if (comparator) comparators.set(comparator.name, comparator.leavesOut)
    const to = base === undefined ? '' : ` to ${format(base)} ${unit}, ${comparator?.name ?? ''}`
    const grown = sizes?.map(({size, value}) => `${formatSize(size)} ${sizeUnit} ${format(value)} ${unit}`).join(', ')
    return [`${name}: ${format(own)} ${unit}${to}; ${rounds} rounds`, grown && `  ${grown}`, note && `  ${note}`]
      .filter(Boolean)
      .join('\n')
  })
  const omissions = [...comparators].map(([name, leavesOut]) => `  ${name}: ${leavesOut}`)
  return [...lines, ...(omissions.length > 0 ? ['What the comparators leave out', ...omissions] : [])].join('\n')
}
