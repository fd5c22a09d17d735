// Shows the progress of a run or a batch: a bar in a terminal, otherwise a line every 30 seconds.
import {startLiveLine} from '../../cli/output/live-line.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {formatClock, formatDuration} from '../../values/time.ts'

const barWidth = 20
const lineEveryMs = 30_000

export interface ProgressSettings {
  isQuiet: boolean
  notice: (text: string) => void
}

// `describe` says how far it is, such as "3 of 8", and what else there is to say. Returns a function that ends it.
export function showProgress(
  {isQuiet, notice}: ProgressSettings,
  total: number,
  getDone: () => number,
  describe: () => string,
): () => void {
  if (isQuiet) return () => {}
  if (canShowLiveLine()) {
    const line = startLiveLine(() => {
      const full = total === 0 ? 0 : Math.floor((getDone() / total) * barWidth)
      return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${describe()}`
    })
    return () => line.end()
  }
  const startedMs = performance.now()
  const printLine = () => notice(`${describe()}, after ${formatDuration(performance.now() - startedMs)}.`)
  const timer = setInterval(printLine, lineEveryMs).unref()
  return () => clearInterval(timer)
}

// Counts rows as they end, and says how long the rest takes at their pace.
export function startRowProgress(settings: ProgressSettings, total: number) {
  const startedMs = performance.now()
  let [done, failures] = [0, 0]
  const describe = () => {
    const leftMs = ((performance.now() - startedMs) / done) * (total - done)
    return [
      `${done} of ${total}`,
      ...(done > 0 && done < total ? [`${formatClock(leftMs)} left`] : []),
      ...(failures > 0 ? [`${failures} to look at`] : []),
    ].join(', ')
  }
  const end = showProgress(settings, total, () => done, describe)
  const addRow = (hasFailed: boolean) => {
    done++
    if (hasFailed) failures++
  }
  return {addRow, end}
}
