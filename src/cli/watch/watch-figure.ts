// Watches one figure, such as a rate or a balance: a live line with a chart in a terminal, a line per change elsewhere. Ends with
// a finding if the figure was below the alert.
import {Big} from 'big.js'
import {SvcError, badUsage} from '../../errors.ts'
import {capitalize} from '../../values/text.ts'
import {FailureTolerance, pauseUntil} from './pace.ts'
import {formatDuration} from '../../values/time.ts'
import {waitForStopSignal} from '../exit.ts'
import {figureIntervalDefaultMs} from '../flags/shared.ts'
import type {LiveLine} from '../output/live-line.ts'
import type {Format} from '../output/print.ts'
import {supportsUnicode} from '../output/colour.ts'
import {canShowLiveLine, getErrorWidth, getTraits, writeOut} from '../output/streams.ts'
import {renderJsonLine} from '../output/formats.ts'

export interface Figure {
  // Decimal text.
  value: string
  // What the line of JSON has beside the figure.
  fields: object
}

export interface FigureTarget {
  // The first word of sentences, and the field of the figure in JSON: rate, balance.
  name: string
  unit: string
  read: () => Promise<Figure>
  // Decimal text.
  alertBelow?: string | undefined
}

interface FigureSchedule {
  intervalMs: number
  isOnce: boolean
  timeoutMs?: number | undefined
  // Resolves when a signal ends the watch.
  stopped: Promise<void>
}

export interface FigureOutput {
  isJson: boolean
  // Whether there is a terminal for the live line.
  isLive: boolean
  isQuiet: boolean
  notice: (text: string) => void
  alert: (text: string) => void
}

// As many as the widest chart needs.
const valuesMax = 200
const chartWidthMax = 40
const chartWidthMin = 8
const freeColumns = 4

class FigureHistory {
  values: string[] = []
  lowest: string | undefined
  highest: string | undefined

  add(value: string): void {
    const figure = new Big(value)
    this.values = [...this.values.slice(1 - valuesMax), value]
    if (this.lowest === undefined || figure.lt(this.lowest)) this.lowest = value
    if (this.highest === undefined || figure.gt(this.highest)) this.highest = value
  }

  get last(): string | undefined {
    return this.values.at(-1)
  }
}

function createBelowError({name, unit, alertBelow = ''}: FigureTarget, {lowest}: FigureHistory): SvcError {
  return new SvcError({
    error: 'BELOW_ALERT',
    kind: 'finding',
    message: `The ${name} was ${lowest} ${unit}, which is below ${alertBelow}`,
  })
}

interface LiveView {
  refresh(nextReadMs?: number): void
  end(): void
}

// The chart takes what the rest of the line leaves free.
async function startLiveView(target: FigureTarget, history: FigureHistory, isBelow: () => boolean): Promise<LiveView> {
  const startedMs = performance.now()
  let nextReadMs: number | undefined
  const render = () => {
    const leftMs = (nextReadMs ?? 0) - performance.now()
    const next = leftMs > 0 ? `next in ${Math.ceil(leftMs / 1000)} s` : 'reading…'
    const mark = isBelow() ? ` · below ${target.alertBelow}` : ''
    const head = `${capitalize(target.name)} ${history.last ?? '…'} ${target.unit}${mark} `
    const range = history.lowest === undefined ? '' : ` ${history.lowest} to ${history.highest}`
    const elapsed = ` · ${formatDuration(performance.now() - startedMs)}`
    // A narrow terminal shows less beside the chart. The columns at the end stay free for the ^C that it prints.
    const width = (getErrorWidth() ?? 0) - freeColumns - head.length
    const tails = [`${range}${elapsed} · ${next}`, `${elapsed} · ${next}`, ` · ${next}`]
    const tail = tails.find(({length}) => length + chartWidthMin <= width) ?? ''
    const chartWidth = Math.min(chartWidthMax, Math.max(0, width - tail.length))
    return `${head}${renderSparkline(history.values, chartWidth)}${tail}`
  }
  const {startLiveLine} = await import('../output/live-line.ts')
  const line: LiveLine = startLiveLine(render)
  return {
    refresh(next) {
      nextReadMs = next
      line.refresh()
    },
    end: () => line.end(),
  }
}

// Returns the finding if the figure was below the alert at any time.
export async function watchFigure(
  target: FigureTarget,
  {intervalMs, isOnce, timeoutMs, stopped}: FigureSchedule,
  {isJson, isLive, isQuiet, notice, alert}: FigureOutput,
): Promise<SvcError | undefined> {
  const {name, unit, alertBelow} = target
  const history = new FigureHistory()
  const tolerance = new FailureTolerance(notice)
  const startedMs = performance.now()
  const deadlineMs = startedMs + (timeoutMs ?? Number.POSITIVE_INFINITY)
  let [isStopping, isBelow, wasBelow] = [false, false, false]
  void stopped.then(() => (isStopping = true))

  async function report({value, fields}: Figure): Promise<void> {
    const hasChanged = history.last === undefined || !new Big(value).eq(history.last)
    const wasJustBelow = isBelow
    history.add(value)
    isBelow = alertBelow !== undefined && new Big(value).lt(alertBelow)
    wasBelow ||= isBelow
    if (isLive) {
      if (isBelow && !wasJustBelow) alert(`the ${name} is ${value} ${unit}, below ${alertBelow}`)
      if (!isBelow && wasJustBelow) notice(`The ${name} is ${value} ${unit}, and no longer below ${alertBelow}.`)
      return
    }
    if (!hasChanged || isQuiet) return
    const at = new Date().toISOString()
    const json = {at, [name]: value, ...fields, ...(alertBelow !== undefined && {alertBelow, isBelow})}
    await writeOut(isJson ? renderJsonLine(json) : `${at}  ${value} ${unit}${isBelow ? `  BELOW ${alertBelow}` : ''}\n`)
  }

  if (isOnce) {
    await report(await target.read())
    return wasBelow ? createBelowError(target, history) : undefined
  }
  // The first read is not repeated when it fails, because what is asked for may be wrong.
  const first = await target.read()
  const live = isLive ? await startLiveView(target, history, () => isBelow) : undefined
  try {
    await report(first)
    for (;;) {
      const pauseMs = Math.min(intervalMs, deadlineMs - performance.now())
      live?.refresh(performance.now() + pauseMs)
      await pauseUntil(pauseMs, stopped)
      if (isStopping || performance.now() >= deadlineMs) break
      live?.refresh()
      try {
        const figure = await target.read()
        tolerance.recover()
        await report(figure)
      } catch (error) {
        if (isStopping) break
        tolerance.tolerate(error)
      }
    }
  } finally {
    live?.end()
  }
  if (isLive) {
    const range = `from ${history.lowest} to ${history.highest}`
    notice(`The ${name} is ${history.last} ${unit}, ${range} in ${formatDuration(performance.now() - startedMs)}.`)
  }
  return wasBelow ? createBelowError(target, history) : undefined
}

// Runs the watch of a figure for a command: its output, its end, and its error.
export interface FigureFlags {
  once: boolean
  interval?: number | undefined
}

interface FigureSettings extends FigureFlags {
  timeout?: number | undefined
  quiet?: boolean | undefined
}

interface CommandOutput extends Pick<FigureOutput, 'notice' | 'alert'> {
  format: Format
}

// A single read ends on a signal as any other command does.
export async function runFigureWatch(
  target: FigureTarget,
  {once, interval = figureIntervalDefaultMs, timeout, quiet: isQuiet = false}: FigureSettings,
  {format, notice, alert}: CommandOutput,
): Promise<void> {
  if (format === 'csv' || format === 'yaml') {
    throw badUsage(`Changes cannot be printed as ${format}`, 'Use -o jsonl')
  }
  const isLive = format === 'table' && !once && !isQuiet && canShowLiveLine() && getTraits('stdout').isTTY === true
  const stopped = once ? new Promise<void>(() => {}) : waitForStopSignal()
  const failure = await watchFigure(
    target,
    {intervalMs: interval, isOnce: once, timeoutMs: timeout, stopped},
    {isJson: format !== 'table', isLive, isQuiet, notice, alert},
  )
  if (failure) throw failure
}

// A small chart in one line: the last values, from the lowest to the highest.
const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const plainBars = ['_', '.', '-', '=', '^']

// Values are decimal text. If all are the same, the line is flat and low.
export function renderSparkline(values: readonly string[], width: number, isUnicode = supportsUnicode()): string {
  const shown = values.slice(-Math.max(0, width)).map((value) => new Big(value))
  const [first] = shown
  if (!first) return ''
  const levels = isUnicode ? bars : plainBars
  const lowest = shown.reduce((low, value) => (value.lt(low) ? value : low), first)
  const highest = shown.reduce((high, value) => (value.gt(high) ? value : high), first)
  const range = highest.minus(lowest)
  const pickLevel = (value: Big) =>
    range.eq('0')
      ? 0
      : Math.round(
          Number(
            value
              .minus(lowest)
              .div(range)
              .times(String(levels.length - 1))
              .toFixed(3),
          ),
        )
  return shown.map((value) => levels[pickLevel(value)]).join('')
}
