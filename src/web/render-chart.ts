// Draws charts as inline SVG, each with a title for every mark and the same figures as a table.
import {Big} from 'big.js'
import {roundRate} from '../values/currencies.ts'
import {attributes, type Content, html, type Html} from './html.ts'
import {formatAmount} from './format.ts'

// Small enough that the labels can be read where the whole chart has the width of a phone.
const width = 440
const height = 162
const left = 70
const top = 22
const bottom = 24
const plotWidth = width - left - 4
const plotHeight = height - top - bottom
const gapShare = 0.22

// Only positions on the screen are floats; every figure that is shown is exact.
const toShare = (value: Big, max: Big) => (max.lte('0') ? 0 : Number(value.div(max).toFixed(5)))
const round = (value: number) => Math.round(value * 100) / 100

interface Part {
  name: string
  value: Big
}

export interface BarGroup {
  label: string
  parts: readonly Part[]
}

interface ChartText {
  id: string
  // What the chart shows, in one sentence, for people who do not see it.
  summary: string
  unit: string
}

const sumParts = (parts: readonly Part[]) => parts.reduce((total, {value}) => total.plus(value), new Big(0))

const format = (value: Big) => formatAmount(value.toFixed())

const shortUnits = [
  ['1e12', 'T'],
  ['1e9', 'B'],
  ['1e6', 'M'],
  ['1e3', 'k'],
] as const

// For the axis alone, where there is room for a few characters. Ticks are round, so nothing is lost.
function abbreviate(value: Big): string {
  const [size, letter] = shortUnits.find(([limit]) => value.gte(limit)) ?? []
  return size === undefined ? value.toFixed() : `${value.div(size).toFixed()}${letter}`
}

interface Axis {
  min: Big
  max: Big
  ticks: Big[]
}

const tickSteps = ['1', '2', '2.5', '5', '10'] as const
const intervalsMax = 4

// Ticks at round figures, from below the smallest value to above the largest.
function createAxis(from: Big, to: Big): Axis {
  const range = to.minus(from)
  const raw = range.lte('0') ? new Big(1) : range.div(intervalsMax)
  const power = new Big(10).pow(raw.e)
  const step = power.times(tickSteps.find((each) => power.times(each).gte(raw)) ?? '10')
  const min = from.div(step).round(0, roundDown).times(step)
  const ticks = [min]
  for (let tick = min; tick.lt(to) || ticks.length < 2;) ticks.push((tick = tick.plus(step)))
  return {min, max: ticks.at(-1) ?? to, ticks}
}

const roundDown = 0

const toHeight = ({min, max}: Axis, value: Big) => round(toShare(value.minus(min), max.minus(min)) * plotHeight)

const isShownBelow = (index: number, count: number) => index === 0 || index === count - 1 || count <= 5

function renderAxis(axis: Axis, unit: string): Html {
  const lines = axis.ticks.map((value, index) => {
    const y = round(top + plotHeight - toHeight(axis, value))
    return html`<line x1="${left}" x2="${width - 4}" y1="${y}" y2="${y}" /> ${
        isShownBelow(index, axis.ticks.length) &&
        html`<text x="${left - 6}" y="${y + 3}" text-anchor="end">${abbreviate(value)}</text>`
      }`
  })
  return html`<g class="axis" aria-hidden="true"> ${lines}<text x="0" y="9">${unit}</text> </g>`
}

// The first, the last and the middle, if it stands apart from both, on a phone too.
const middleFrom = 5
const middleLengthMax = 'YYYY-MM-DD'.length

function renderTimeLabels(labels: readonly string[]): Html {
  const isMiddleShown = labels.length >= middleFrom && (labels[0] ?? '').length <= middleLengthMax
  const middle = isMiddleShown ? labels[Math.floor(labels.length / 2)] : undefined
  const x = round(left + (plotWidth * (Math.floor(labels.length / 2) + 0.5)) / Math.max(1, labels.length))
  return html`<g class="axis" aria-hidden="true">
    <text x="${left}" y="${height - 6}">${labels[0] ?? ''}</text>
    ${middle !== undefined && html`<text x="${x}" y="${height - 6}" text-anchor="middle">${middle}</text>`}
    ${
      labels.length > 1 &&
      html`<text x="${width - 4}" y="${height - 6}" text-anchor="end">${labels.at(-1) ?? ''}</text>`
    }
  </g>`
}

// So few marks have room for their figures.
const labelledMax = 6

const renderValue = (x: number, y: number, text: string) =>
  html`<text class="value" x="${round(x)}" y="${round(Math.max(y - 4, 8))}" text-anchor="middle" aria-hidden="true"
    >${text}</text
  > `

function renderFigure({id, summary}: ChartText, drawing: Content, table: Content, legend?: Content): Html {
  return html`<figure class="chart" id="${id}" data-live>
    <svg${attributes({role: 'img', viewbox: `0 0 ${width} ${height}`, 'aria-label': summary})}>${drawing}</svg>
    ${legend}
    <details id="${id}-figures">
      <summary>Show the figures<span class="unseen">: ${summary}</span></summary>
      ${table}
    </details>
  </figure>`
}

const renderFigures = (headers: readonly string[], rows: readonly (readonly string[])[]) =>
  html`<div class="figures" tabindex="0" role="region" aria-label="${headers.join(', ')}">
    <table>
      <thead>
        <tr>
          ${headers.map((header) => html`<th scope="col">${header}</th> `)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${others.map((cell) => html`<td class="number">${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`

// A column that is so many times as high as the one after it would flatten all others.
const outlierFactor = 4
const outlierFrom = 4
const headroom = '1.15'

// How high the axis goes. If few columns are much higher than the rest, they are cut, and the chart says so.
function chooseTop(sums: readonly Big[]): {to: Big; isCut: (sum: Big) => boolean} {
  const sorted = sums.filter((sum) => sum.gt('0')).toSorted((one, other) => other.cmp(one))
  const highest = sorted[0] ?? new Big(0)
  const usual = sorted.find((sum, index) => {
    const before = sorted[index - 1]
    return before && before.gt(sum.times(outlierFactor)) && index <= sorted.length / outlierFrom
  })
  if (!usual) return {to: highest, isCut: () => false}
  const to = usual.times(headroom)
  return {to, isCut: (sum) => sum.gt(usual)}
}

interface Column extends BarGroup {
  sum: Big
  isCut: boolean
}

interface Columns {
  unit: string
  axis: Axis
  columns: readonly Column[]
  // All parts, by which they have their colours, and those that any column has.
  allNames: readonly string[]
  names: readonly string[]
}

function readColumns({unit}: ChartText, groups: readonly BarGroup[]): Columns {
  const allNames = groups[0]?.parts.map(({name}) => name) ?? []
  const isUsed = (name: string) =>
    groups.some(({parts}) => parts.some((part) => part.name === name && part.value.gt('0')))
  const sums = groups.map(({parts}) => sumParts(parts))
  const {to, isCut} = chooseTop(sums)
  return {
    unit,
    axis: createAxis(new Big(0), to),
    columns: groups.map((group, index) => {
      const sum = sums[index] ?? new Big(0)
      return {...group, sum, isCut: isCut(sum)}
    }),
    allNames,
    names: allNames.length === 1 ? allNames : allNames.filter(isUsed),
  }
}

function renderColumn({unit, axis, columns, allNames, names}: Columns, column: Column, index: number): Content {
  const {label, parts, sum, isCut} = column
  const step = plotWidth / columns.length
  const barWidth = round(Math.min(step * (1 - gapShare), 48))
  const x = round(left + step * index + (step - barWidth) / 2)
  let base = top + plotHeight
  const rects = parts.map(({name, value}) => {
    if (value.lte('0')) return undefined
    const size = Math.max(round(toShare(value, isCut ? sum : axis.max) * plotHeight), 1)
    base -= size
    const place = {x, y: round(base), width: barWidth, height: size, rx: 2}
    return html`<rect${attributes({class: `part-${allNames.indexOf(name)}`, ...place})}
      ><title>${label}: ${format(value)} ${unit}${names.length > 1 && `, ${name}`}</title></rect
    > `
  })
  const isLabelled = sum.gt('0') && (isCut || columns.length <= labelledMax)
  return [
    rects,
    isCut && html`<path class="cut" d="M${x - 2} ${top + 12}l${barWidth + 4} -5" />`,
    isLabelled && renderValue(x + barWidth / 2, base, abbreviate(roundForLabel(sum))),
  ]
}

// Columns over time. Several parts are stacked; those that no column has are left out.
export function renderBarChart(text: ChartText, groups: readonly BarGroup[]): Html {
  const chart = readColumns(text, groups)
  const {unit, axis, columns, allNames, names} = chart
  const cut = columns.filter(({isCut}) => isCut).map(({label, sum}) => `${label} with ${format(sum)} ${unit}`)
  const rows = columns.map(({label, parts}) => [
    label,
    ...parts.filter(({name}) => names.includes(name)).map(({value}) => format(value)),
  ])
  return renderFigure(
    text,
    [
      renderAxis(axis, unit),
      columns.map((column, index) => renderColumn(chart, column, index)),
      renderTimeLabels(columns.map(({label}) => label)),
    ],
    renderFigures(['Time (UTC)', ...names.map((name) => `${name}, ${unit}`)], rows),
    [
      names.length > 1 &&
        html`<p class="legend">
          ${names.map((name) => html`<span><i class="part-${allNames.indexOf(name)}"></i>${name}</span> `)}
        </p>`,
      cut.length > 0 && html`<p class="note">Cut, so that the others can be seen: ${cut.join(', ')}.</p>`,
    ],
  )
}

const labelDigits = 3

// Three digits stand above a column; its title and the table have all of them.
function roundForLabel(value: Big): Big {
  const decimals = Math.max(0, labelDigits - 1 - value.e)
  if (value.e < labelDigits) return value.round(decimals)
  const unit = new Big(10).pow(value.e - labelDigits + 1)
  return value.div(unit).round(0).times(unit)
}

export interface Point {
  atMs: number
  label: string
  value: Big
}

const dotsMax = 60
// A pause that is so many times as long as usual is left open.
const gapFactor = 5
const gapFrom = 4

// The points in runs, without a line across times of which nothing is known.
function splitAtGaps(points: readonly Point[]): Point[][] {
  const pauses = points.slice(1).map(({atMs}, index) => atMs - (points[index]?.atMs ?? atMs))
  const usual = pauses.toSorted((one, other) => one - other)[Math.floor(pauses.length / 2)] ?? 0
  const runs: Point[][] = []
  for (const [index, point] of points.entries()) {
    const pause = pauses[index - 1] ?? Infinity
    const isGap = index === 0 || (points.length >= gapFrom && usual > 0 && pause > usual * gapFactor)
    if (isGap) runs.push([point])
    else runs.at(-1)?.push(point)
  }
  return runs
}

// A line through points in time. The axis does not start at zero: rates differ by little.
export function renderLineChart(text: ChartText, points: readonly Point[]): Html {
  const sorted = points.map(({value}) => value).toSorted((one, other) => one.cmp(other))
  const [lowest = new Big(0), highest = new Big(0)] = [sorted[0], sorted.at(-1)]
  const axis = lowest.eq(highest)
    ? createAxis(lowest.times('0.99'), highest.times('1.01'))
    : createAxis(lowest, highest)
  const firstMs = points[0]?.atMs ?? 0
  const spanMs = Math.max((points.at(-1)?.atMs ?? 0) - firstMs, 1)
  const place = ({atMs, value}: Point) => ({
    x: round(left + (points.length === 1 ? plotWidth / 2 : ((atMs - firstMs) / spanMs) * plotWidth)),
    y: round(top + plotHeight - toHeight(axis, value)),
  })
  const lines = splitAtGaps(points).map(
    (run) =>
      html`<polyline class="line" points="${run.map((point) => `${place(point).x},${place(point).y}`).join(' ')}" />`,
  )
  const dots = (points.length > dotsMax ? [] : points).map((point) => {
    const {x, y} = place(point)
    return html`<circle cx="${x}" cy="${y}" r="2.2"><title>${point.label}: ${point.value.toFixed()}</title></circle>
      ${points.length <= labelledMax && renderValue(Math.min(Math.max(x, left + 22), width - 24), y, roundRate(point.value.toFixed()))} `
  })
  return renderFigure(
    text,
    [renderAxis(axis, text.unit), lines, dots, renderTimeLabels(points.map(({label}) => label))],
    renderFigures(
      ['Time (UTC)', text.unit],
      points.map(({label, value}) => [label, value.toFixed()]),
    ),
  )
}
