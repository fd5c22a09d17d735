// What can be wrong with an SQLite file. Each store puts the reason into its own sentence.
import {getSystemCode} from '../errors.ts'

// The families of SQLite's result codes (https://sqlite.org/rescode.html); the numbers never change.
const results = {
  5: ['busy', 'is in use by another process that does not release it'],
  8: ['readOnly', 'cannot be written: it is read-only, or its disk is full'],
  10: ['inputOutput', 'cannot be read or written'],
  11: ['damaged', 'is damaged'],
  13: ['diskFull', 'cannot be written: the disk is full'],
  14: ['cannotOpen', 'cannot be opened'],
  26: ['notADatabase', 'is not a database, or it is damaged'],
} as const

// The first eight are found by svc itself, the others by SQLite.
export type SqliteProblem =
  | 'otherApplication'
  | 'newerSchema'
  | 'olderSchema'
  | 'noWriteAheadLog'
  | 'cannotCreate'
  | 'empty'
  | 'missing'
  | 'unreadableLog'
  | (typeof results)[keyof typeof results][0]
  | 'other'

// The advice on a full disk, whatever the file is for.
export const diskFullHint = 'Make room there and try again'

const resultFamilyMask = 0xff

// The low byte of an extended result code is its family. Undefined for an error that SQLite did not report.
const getSqliteResultFamily = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & resultFamilyMask
    : undefined

export class SqliteFileError extends Error {
  override name = 'SqliteFileError'
  readonly problem: SqliteProblem
  // The predicate of a sentence about the file, such as "is damaged".
  readonly reason: string

  constructor(file: string, problem: SqliteProblem, reason: string, cause?: unknown) {
    super(`${file} ${reason}`, {cause})
    this.problem = problem
    this.reason = reason
  }
}

// Undefined for an error that is not about the file.
export function toSqliteFileError(file: string, error: unknown): SqliteFileError | undefined {
  if (error instanceof SqliteFileError) return error
  const family = getSqliteResultFamily(error)
  if (family !== undefined) {
    const [problem, reason] = results[family as keyof typeof results] ?? ['other', `cannot be used (${String(error)})`]
    return new SqliteFileError(file, problem, reason, error)
  }
  const code = getSystemCode(error)
  if (code === undefined) return undefined
  if (code === 'ENOSPC') return new SqliteFileError(file, ...results[13], error)
  return new SqliteFileError(file, 'cannotCreate', `cannot be opened or created (${code})`, error)
}

const busyPauseMs = 20

export const isBusy = (error: unknown): boolean => getSqliteResultFamily(error) === 5

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
