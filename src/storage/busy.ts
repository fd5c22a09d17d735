// Waits for another process to let go of the journal, also in the moments that SQLite's own timeout does not cover.

export const busyWaitMs = 10_000
const busyPauseMs = 20

// The low byte of an SQLite result code is its family; these are stable for ever.
const resultFamily = 0xff
export const resultBusy = 5

// The family of the result code of an error of SQLite; undefined for any other error.
export const getSqliteResultFamily = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & resultFamily
    : undefined

// While another process opens, recovers or closes the file, SQLite says at once that it is busy.
export function retryWhileBusy<T>(attempt: () => T): T {
  const deadline = performance.now() + busyWaitMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (getSqliteResultFamily(error) !== resultBusy || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, busyPauseMs)
    }
  }
}
