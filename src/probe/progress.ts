// Shows what a probe is doing and for how long it still waits: one live line in a terminal, otherwise a line per step.
import {formatClock} from '../values/time.ts'
import {startLiveLine} from '../cli/output/live-line.ts'
import {canShowLiveLine} from '../cli/output/streams.ts'

export interface ProbeProgress {
  report: (words: string, untilMs?: number) => void
  end: () => void
}

export function startProbeProgress(isQuiet: boolean, notice: (text: string) => void): ProbeProgress {
  let current = {words: 'the service', untilMs: 0}
  const render = () => {
    const leftMs = current.untilMs - Date.now()
    return leftMs > 0 ? `Waiting for ${current.words}: ${formatClock(leftMs)} left` : `Trying ${current.words}…`
  }
  const live = !isQuiet && canShowLiveLine() ? startLiveLine(render) : undefined
  return {
    report(words, untilMs = 0) {
      const isNew = words !== current.words
      current = {words, untilMs}
      if (live) live.refresh()
      else if (isNew) notice(render())
    },
    end: () => live?.end(),
  }
}
