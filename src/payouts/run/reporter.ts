// Reports rows that have ended once the journal has them on disk, or could not bring them there, many at a time.
import type {Journal} from '../../payments/journal/journal.ts'

// The longest delay of a report.
const reportDelayMs = 100

export interface RowReporter<T> {
  add(row: T): void
  // Reports all rows that are left.
  flush(): Promise<void>
}

export function createRowReporter<T>(
  journal: Journal,
  // With an error if what the journal has of the row may not be on disk.
  report: (row: T, flushError?: unknown) => void,
): RowReporter<T> {
  let pendingRows: T[] = []
  let timer: NodeJS.Timeout | undefined
  let reporting = Promise.resolve()
  const reportWaiting = async () => {
    timer = undefined
    const rows = pendingRows
    pendingRows = []
    let flushError: unknown
    await journal.flush().catch((error: unknown) => (flushError = error))
    for (const row of rows) report(row, flushError)
  }
  const scheduleReport = () => {
    reporting = reporting.then(reportWaiting)
    reporting.catch(() => {})
  }
  return {
    add(row) {
      pendingRows.push(row)
      timer ??= setTimeout(scheduleReport, reportDelayMs)
    },
    async flush() {
      clearTimeout(timer)
      scheduleReport()
      await reporting
    },
  }
}
