// Tells of rows that have ended, once the disk has what is known of them, many at a time while the next ones go on.
import type {Journal} from '../payments/journal/journal.ts'

// Whoever waits for a row hears of it this much later at the most.
const reportDelayMs = 100

export interface RowReporter<T> {
  add(row: T): void
  // Tells of all that are left.
  finish(): Promise<void>
}

export function createRowReporter<T>(
  journal: Journal,
  report: (row: T) => void,
  onFlushFailed: () => void,
): RowReporter<T> {
  let waiting: T[] = []
  let timer: NodeJS.Timeout | undefined
  let reporting = Promise.resolve()
  const reportWaiting = async () => {
    timer = undefined
    const rows = waiting
    waiting = []
    // What was done is told even where it could not be kept: then it is the only word of it.
    await journal.flush().catch(onFlushFailed)
    for (const row of rows) report(row)
  }
  const scheduleReport = () => {
    reporting = reporting.then(reportWaiting)
    reporting.catch(() => {})
  }
  return {
    add(row) {
      waiting.push(row)
      timer ??= setTimeout(scheduleReport, reportDelayMs)
    },
    async finish() {
      clearTimeout(timer)
      scheduleReport()
      await reporting
    },
  }
}
