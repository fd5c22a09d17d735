// Tells of rows that have ended, once the disk has what is known of them, many at a time while the next ones go on.
import type {Journal} from '../payments/journal/journal.ts'

// Whoever waits for a row hears of it this much later at the most.
const gatherMs = 100

export interface Teller<T> {
  ended(row: T): void
  // Tells of all that are left.
  finish(): Promise<void>
}

export function tellerOf<T>(journal: Journal, tell: (row: T) => void, onTrouble: () => void): Teller<T> {
  let waiting: T[] = []
  let timer: NodeJS.Timeout | undefined
  let telling = Promise.resolve()
  const flushed = async () => {
    timer = undefined
    const rows = waiting
    waiting = []
    // What was done is told even where it could not be kept: then it is the only word of it.
    await journal.flush().catch(onTrouble)
    for (const row of rows) tell(row)
  }
  const next = () => {
    telling = telling.then(flushed)
    telling.catch(() => {})
  }
  return {
    ended(row) {
      waiting.push(row)
      timer ??= setTimeout(next, gatherMs)
    },
    async finish() {
      clearTimeout(timer)
      next()
      await telling
    },
  }
}
