// Draws charts as inline SVG, each with a title for every mark and the same figures as a table.
import {Big} from 'big.js'
import {attributes, type Content, html, type Html} from './html.ts'
import {formatAmount, type Tone} from './format.ts'

// Small enough that the labels can be read where the whole chart has the width of a phone.
const width = 440
const height = 150
const left = 70
const top = 10
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

const roundDown = 0

// For the axis alone, where there is room for a few characters.
function abbreviate(value: Big): string {
  const [size, letter] = shortUnits.find(([limit]) => value.gte(limit)) ?? []
  if (size === undefined) return value.round(value.lt('1') ? 6 : 2, roundDown).toFixed()
  return `${value.div(size).round(1, roundDown).toFixed()}${letter}`
}

interface Axis {
  min: Big
  max: Big
}

// As many decimals as it takes to tell the labels of the axis apart.
function formatLabel(value: Big, range: Big): string {
  if (range.gte('1') || range.eq('0')) return abbreviate(value)
  return value.toFixed(Math.min(10, 2 - range.e))
}

function renderAxis({min, max}: Axis): Html {
  const middle = min.plus(max).div('2')
  const range = max.minus(min)
  return html`<g class="axis" aria-hidden="true">
    ${[max, middle, min].map((value, index) => {
      const y = round(top + (plotHeight * index) / 2)
      return html`<line x1="${left}" x2="${width - 4}" y1="${y}" y2="${y}" /><text
          x="${left - 6}"
          y="${y + 3}"
          text-anchor="end"
          >${formatLabel(value, range)}</text
        >`
    })}
  </g>`
}

function renderEndLabels(labels: readonly string[]): Html {
  const [first, last] = [labels[0] ?? '', labels.at(-1) ?? '']
  return html`<g class="axis" aria-hidden="true">
    <text x="${left}" y="${height - 6}">${first}</text>
    ${labels.length > 1 && html`<text x="${width - 4}" y="${height - 6}" text-anchor="end">${last}</text>`}
  </g>`
}

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

// Columns over time. Several parts are stacked.
export function renderBarChart(text: ChartText, groups: readonly BarGroup[]): Html {
  const max = groups.map(({parts}) => sumParts(parts)).reduce((one, other) => (other.gt(one) ? other : one), new Big(0))
  const step = plotWidth / Math.max(groups.length, 1)
  const barWidth = round(Math.min(step * (1 - gapShare), 48))
  const bars = groups.map(({label, parts}, index) => {
    let base = top + plotHeight
    const x = round(left + step * index + (step - barWidth) / 2)
    return parts.map(({name, value}, part) => {
      const size = round(toShare(value, max) * plotHeight)
      base -= size
      if (value.lte('0')) return undefined
      return html`<rect${attributes({class: `part-${part}`, x, y: round(base), width: barWidth, height: Math.max(size, 1), rx: 2})}
        ><title>${label}: ${format(value)} ${text.unit}${parts.length > 1 && `, ${name}`}</title></rect
      > `
    })
  })
  const names = groups[0]?.parts.map(({name}) => name) ?? []
  const rows = groups.map(({label, parts}) => [label, ...parts.map(({value}) => format(value))])
  const legend =
    names.length > 1 &&
    html`<p class="legend">${names.map((name, part) => html`<span><i class="part-${part}"></i>${name}</span> `)}</p>`
  return renderFigure(
    text,
    [renderAxis({min: new Big(0), max}), bars, renderEndLabels(groups.map(({label}) => label))],
    renderFigures(['Time (UTC)', ...names.map((name) => `${name}, ${text.unit}`)], rows),
    legend,
  )
}

export interface Point {
  atMs: number
  label: string
  value: Big
}

const dotsMax = 60

// A line through points in time. The axis does not start at zero: rates differ by little.
export function renderLineChart(text: ChartText, points: readonly Point[]): Html {
  const values = points.map(({value}) => value)
  const [zero] = values
  let min = values.reduce((one, other) => (other.lt(one) ? other : one), zero ?? new Big(0))
  let max = values.reduce((one, other) => (other.gt(one) ? other : one), zero ?? new Big(0))
  if (min.eq(max)) [min, max] = [min.times('0.99'), max.times('1.01')]
  const firstMs = points[0]?.atMs ?? 0
  const spanMs = Math.max((points.at(-1)?.atMs ?? 0) - firstMs, 1)
  const place = ({atMs, value}: Point) => ({
    x: round(left + (points.length === 1 ? plotWidth / 2 : ((atMs - firstMs) / spanMs) * plotWidth)),
    y: round(top + plotHeight - toShare(value.minus(min), max.minus(min)) * plotHeight),
  })
  const line = points.map((point) => `${place(point).x},${place(point).y}`).join(' ')
  const dots = (points.length > dotsMax ? [] : points).map((point) => {
    const {x, y} = place(point)
    return html`<circle cx="${x}" cy="${y}" r="2.2"><title>${point.label}: ${point.value.toFixed()}</title></circle> `
  })
  return renderFigure(
    text,
    [
      renderAxis({min, max}),
      html`<polyline class="line" points="${line}" />`,
      dots,
      renderEndLabels(points.map(({label}) => label)),
    ],
    renderFigures(
      ['Time (UTC)', text.unit],
      points.map(({label, value}) => [label, value.toFixed()]),
    ),
  )
}

export interface Bar {
  label: Content
  // The length of the bar.
  value: number
  // What is written beside it.
  text: Content
  tone?: Tone
}

// Horizontal bars with their figures in words, which need no table beside them.
export function renderBars(id: string, bars: readonly Bar[], {hasLongLabels = false} = {}): Html {
  const max = Math.max(...bars.map(({value}) => value), 1)
  return html`<dl class="${hasLongLabels ? 'bars long' : 'bars'}" id="${id}" data-live>
    ${bars.map(
      ({label, value, text, tone = 'quiet'}) =>
        html`<div>
          <dt>${label}</dt>
          <dd>
            <svg${attributes({class: tone, viewbox: '0 0 100 8', preserveaspectratio: 'none', 'aria-hidden': 'true'})}>
              <rect class="track" width="100" height="8" />
              <rect class="fill" width="${round((value / max) * 100)}" height="8" /></svg
            ><span>${text}</span>
          </dd>
        </div> `,
    )}
  </dl>`
}
