// The first signal ends a run after the rows in progress; the second ends it at once.
import {getExitCode} from '../errors.ts'
import {clearLiveLine} from '../cli/output/streams.ts'
import type {Halt} from './halt.ts'

const codes = {SIGINT: getExitCode('interrupted'), SIGTERM: getExitCode('terminated')} as const
const signals = ['SIGINT', 'SIGTERM'] as const

// Replaces the other listeners of these signals during the work, and restores them afterwards.
export async function withSignals<T>(halt: Halt, onFirstSignal: () => void, work: () => Promise<T>): Promise<T> {
  const earlierListeners = signals.map((signal) => process.listeners(signal))
  const handlers = signals.map((signal) => () => {
    if (halt.reason === undefined) {
      halt.stop(signal)
      return onFirstSignal()
    }
    // The run is already stopping, so this is the second request to stop.
    clearLiveLine()
    process.exit(codes[signal])
  })
  for (const [index, signal] of signals.entries())
    process.removeAllListeners(signal).on(signal, handlers[index] ?? (() => {}))
  try {
    return await work()
  } finally {
    for (const [index, signal] of signals.entries()) {
      process.removeAllListeners(signal)
      for (const listener of earlierListeners[index] ?? []) process.once(signal, listener as () => void)
    }
  }
}
