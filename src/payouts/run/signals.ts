// The first signal ends a run after the rows in progress; the second ends it at once.
import {getExitCode} from '../../errors.ts'
import {clearLiveLine} from '../../cli/output/streams.ts'
import type {Halt} from './halt.ts'

const codes = {SIGINT: getExitCode('interrupted'), SIGTERM: getExitCode('terminated')} as const
const signals = ['SIGINT', 'SIGTERM'] as const

// Replaces the other listeners of these signals during the work, and restores them afterwards. A signal that arrives while it has
// no listener is lost, so new listeners are added before others are removed.
export async function withSignals<T>(halt: Halt, onFirstSignal: () => void, work: () => Promise<T>): Promise<T> {
  const replacements = signals.map((signal) => {
    const handler = () => {
      if (halt.reason === undefined) {
        halt.stop(signal)
        return onFirstSignal()
      }
      // The run is already stopping, so this is the second request to stop.
      clearLiveLine()
      process.exit(codes[signal])
    }
    const earlier = process.listeners(signal) as Array<() => void>
    process.on(signal, handler)
    for (const listener of earlier) process.off(signal, listener)
    return {signal, handler, earlier}
  })
  try {
    return await work()
  } finally {
    for (const {signal, handler, earlier} of replacements) {
      for (const listener of earlier) process.once(signal, listener)
      process.off(signal, handler)
    }
  }
}
