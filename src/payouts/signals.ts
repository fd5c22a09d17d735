// The first signal ends a run when the rows under way are done; the second ends it at once.
import {getExitCode} from '../errors.ts'
import {clearLiveLine} from '../cli/output/streams.ts'
import type {Halt} from './halt.ts'

const codes = {SIGINT: getExitCode('interrupted'), SIGTERM: getExitCode('terminated')} as const
const signals = ['SIGINT', 'SIGTERM'] as const

// Whoever listened before gives way for as long as the work takes, and listens again after it.
export async function withSignals<T>(halt: Halt, onFirst: () => void, work: () => Promise<T>): Promise<T> {
  const before = signals.map((signal) => process.listeners(signal))
  const own = signals.map((signal) => () => {
    if (halt.reason === undefined) {
      halt.stop(signal)
      return onFirst()
    }
    // A run that is ending already, for whatever reason, is ended at once.
    clearLiveLine()
    process.exit(codes[signal])
  })
  for (const [index, signal] of signals.entries())
    process.removeAllListeners(signal).on(signal, own[index] ?? (() => {}))
  try {
    return await work()
  } finally {
    for (const [index, signal] of signals.entries()) {
      process.removeAllListeners(signal)
      for (const listener of before[index] ?? []) process.once(signal, listener as () => void)
    }
  }
}
