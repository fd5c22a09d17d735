// Shows the progress of a run: a bar in a terminal, otherwise a line every 30 seconds.
import {formatClock, formatDuration} from '../../values/time.ts'
import {startLiveLine} from '../../cli/output/live-line.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'

const barWidth = 20
const lineEveryMs = 30_000
// The rate is measured over the last seconds, so that it follows a service that slows down.
const rateWindowMs = 10_000
const sampleMs = 50
const refreshMs = 100

export interface Progress {
  addRow(failed: boolean): void
  end(): void
}

const silent: Progress = {addRow: () => {}, end: () => {}}

export interface ProgressSettings {
  total: number
  isQuiet: boolean
  // Whether rows are printed to the same terminal as they end. A bar between them would flicker.
  isShared: boolean
  notice: (text: string) => void
}

// How much of a bar is full.
const renderBar = (done: number, total: number, text: string) => {
  const full = Math.floor((done / total) * barWidth)
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${text}`
}

// Shows a text while something is in progress.
function startDisplay(render: () => string, describe: () => string, {isShared, notice}: ProgressSettings) {
  const live = canShowLiveLine() && !isShared ? startLiveLine(render) : undefined
  const startedMs = performance.now()
  const printLine = () => notice(`${describe()}, after ${formatDuration(performance.now() - startedMs)}.`)
  const timer = live ? undefined : setInterval(printLine, lineEveryMs)
  timer?.unref()
  return {
    refresh: () => live?.refresh(),
    end() {
      live?.end()
      clearInterval(timer)
    },
  }
}

// Shows the progress of --wait: how many rows have ended, and what `describePending` says about the rest.
export function startWaitProgress(
  settings: ProgressSettings,
  getEnded: () => number,
  describePending: () => string,
): Pick<Progress, 'end'> & {refresh(): void} {
  if (settings.isQuiet) return {refresh: () => {}, end: () => {}}
  const describe = () => [`${getEnded()} of ${settings.total} ended`, describePending()].filter(Boolean).join(', ')
  return startDisplay(() => renderBar(getEnded(), settings.total, describe()), describe, settings)
}

export function startRunProgress(settings: ProgressSettings): Progress {
  const {total, isQuiet} = settings
  if (isQuiet) return silent
  let done = 0
  let failures = 0
  let refreshedAt = 0
  const samples = [{at: performance.now(), done: 0}]
  const computeRate = () => {
    const now = performance.now()
    while (samples.length > 2 && now - (samples[0]?.at ?? now) > rateWindowMs) samples.shift()
    const [from = {at: now, done}] = samples
    return now > from.at ? ((done - from.done) / (now - from.at)) * 1000 : 0
  }
  const describe = () => {
    const perSecond = computeRate()
    const parts = [
      `${done} of ${total}`,
      ...(perSecond > 0 ? [`${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`] : []),
      ...(perSecond > 0 && done < total ? [`${formatClock(((total - done) / perSecond) * 1000)} left`] : []),
      ...(failures > 0 ? [`${failures} failed`] : []),
    ]
    return parts.join(', ')
  }
  const display = startDisplay(() => renderBar(done, total, describe()), describe, settings)
  return {
    addRow(failed) {
      done++
      if (failed) failures++
      const now = performance.now()
      if (now - (samples.at(-1)?.at ?? 0) > sampleMs) samples.push({at: now, done})
      if (now - refreshedAt < refreshMs) return
      refreshedAt = now
      display.refresh()
    },
    end: () => display.end(),
  }
}
