// Reports rows that have ended once the journal has them on disk, many at a time.
import type {Journal} from '../payments/journal/journal.ts'

// The longest delay of a report.
const reportDelayMs = 100

export interface RowReporter<T> {
  add(row: T): void
  // Reports all rows that are left.
  flush(): Promise<void>
}

export function createRowReporter<T>(
  journal: Journal,
  report: (row: T) => void,
  onFlushFailed: () => void,
): RowReporter<T> {
  let pendingRows: T[] = []
  let timer: NodeJS.Timeout | undefined
  let reporting = Promise.resolve()
  const reportWaiting = async () => {
    timer = undefined
    const rows = pendingRows
    pendingRows = []
    // Rows are reported even if the flush failed. Then the report is the only record of them.
    await journal.flush().catch(onFlushFailed)
    for (const row of rows) report(row)
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
