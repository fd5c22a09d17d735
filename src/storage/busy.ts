// Waits while another process uses an SQLite file.
import {getSqliteResultFamily, sqliteResults} from './sqlite-error.ts'

const busyPauseMs = 20

export const isBusy = (error: unknown): boolean => getSqliteResultFamily(error) === sqliteResults.busy

// SQLite's own timeout does not cover the moments in which another process opens, recovers or closes the file: then it
// reports at once that the file is busy. This waits as a synchronous call, because transactions are synchronous.
export function retryWhileBusy<T>(waitMs: number, attempt: () => T): T {
  const deadline = performance.now() + waitMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() + busyPauseMs > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, busyPauseMs)
    }
  }
}
