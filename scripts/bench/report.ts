// Summarises the rounds of the rows as ratios, and prints them as one table.
import type {Bound, Round, Row} from './row.ts'

interface Spread {
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
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const pick = (share: number) => {
    const at = (sorted.length - 1) * share
    const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
    return below + (above - below) * (at - Math.floor(at))
  }
  return {median: pick(0.5), low: pick(0.25), high: pick(0.75)}
}

const toRatio = (own: number, base: number | undefined) => (base === undefined ? own : own / base)

function spreadCpu(rounds: readonly Round[]): Spread | undefined {
  const ratios = rounds.flatMap(({own, base}) =>
    own.byCpu !== undefined && base?.byCpu !== undefined ? [own.byCpu / base.byCpu] : [],
  )
  return ratios.length > 0 ? spread(ratios) : undefined
}

export function summarise(row: Row, rounds: readonly Round[]): Figure {
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
  const heads = ['row', 'what', 'figure (middle half)', 'CPU time', 'bound', ...(before ? ['before'] : []), '']
  const lines = figures.map((figure) => [
    figure.name,
    figure.title,
    formatSpread(figure.figure) + (figure.base === undefined ? ` ${figure.unit}` : ''),
    figure.cpu ? formatSpread(figure.cpu) : '',
    figure.bound ? formatBound(figure.bound) : '',
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

// What stands behind the table: the values, and what each comparator leaves out.
export function renderDetails(figures: readonly Figure[], rows: readonly Row[]): string {
  const comparators = new Map<string, string>()
  const lines = figures.map(({name, own, base, unit, rounds}) => {
    const comparator = rows.find((row) => row.name === name)?.comparator
    if (comparator) comparators.set(comparator.name, comparator.leavesOut)
    const to = base === undefined ? '' : ` to ${format(base)} ${unit}, ${comparator?.name ?? ''}`
    return `${name}: ${format(own)} ${unit}${to}; ${rounds} rounds`
  })
  const omissions = [...comparators].map(([name, leavesOut]) => `  ${name}: ${leavesOut}`)
  return [...lines, 'What the comparators leave out', ...omissions].join('\n')
}
