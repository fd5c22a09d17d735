// Shows the progress of a run or a batch: a bar in a terminal, otherwise a line every 30 seconds.
import {startLiveLine} from '../../cli/output/live-line.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {formatClock, formatDuration} from '../../values/time.ts'

const barWidth = 20
const lineEveryMs = 30_000
const refreshMs = 100

export interface ProgressSettings {
  isQuiet: boolean
  notice: (text: string) => void
}

export interface Progress {
  refresh: () => void
  end: () => void
}

// `describe` says how far it is, such as "3 of 8", and what else there is to say.
export function startProgress(
  {isQuiet, notice}: ProgressSettings,
  total: number,
  getDone: () => number,
  describe: () => string,
): Progress {
  if (isQuiet) return {refresh: () => {}, end: () => {}}
  const startedMs = performance.now()
  const renderBar = () => {
    const full = total === 0 ? 0 : Math.floor((getDone() / total) * barWidth)
    return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${describe()}`
  }
  const live = canShowLiveLine() ? startLiveLine(renderBar) : undefined
  const printLine = () => notice(`${describe()}, after ${formatDuration(performance.now() - startedMs)}.`)
  const timer = live ? undefined : setInterval(printLine, lineEveryMs)
  timer?.unref()
  let refreshedMs = 0
  return {
    refresh() {
      if (performance.now() - refreshedMs < refreshMs) return
      refreshedMs = performance.now()
      live?.refresh()
    },
    end() {
      live?.end()
      clearInterval(timer)
    },
  }
}

// Counts rows as they end, with their pace and how long the rest takes at it.
export function startRowProgress(settings: ProgressSettings, total: number) {
  const startedMs = performance.now()
  let [done, failures] = [0, 0]
  const describe = () => {
    const perSecond = (done * 1000) / (performance.now() - startedMs)
    return [
      `${done} of ${total}`,
      ...(done > 0 ? [`${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`] : []),
      ...(done > 0 && done < total ? [`${formatClock(((total - done) / perSecond) * 1000)} left`] : []),
      ...(failures > 0 ? [`${failures} failed`] : []),
    ].join(', ')
  }
  const {refresh, end} = startProgress(settings, total, () => done, describe)
  const addRow = (hasFailed: boolean) => {
    done++
    if (hasFailed) failures++
    refresh()
  }
  return {addRow, end}
}
