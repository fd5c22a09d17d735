// Locks between processes. SQLite's file lock holds them, so the operating system releases them when the holder dies.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {setTimeout as sleep} from 'node:timers/promises'
import {badSettings} from '../errors.ts'
import {diskFullHint, isBusy, toSqliteFileError} from './sqlite-error.ts'
import {checkReplaceable, createPrivateFile, ensurePrivateMode, makePrivateFolder} from './private-file.ts'

const waitMaxMs = 60_000
const pollMs = 20

export interface LockLimit {
  // How long to wait for the lock, if that is less than the usual minute, and the error to throw then.
  waitMs: number
  createError: () => Error
}

export interface HeldLock {
  release(): void
}

// Takes a lock until it is released or the process ends. Undefined if another process still holds it after the wait. Keep
// the result: the lock is also released when it is garbage collected.
export function holdLock(file: string, waitMs: number): HeldLock | undefined {
  let database: DatabaseSync | undefined
  try {
    checkReplaceable(file)
    createPrivateFile(file)
    ensurePrivateMode(file)
    const opened = (database = new DatabaseSync(file, {timeout: waitMs}))
    opened.exec('begin exclusive')
    return {release: () => opened.close()}
  } catch (cause) {
    database?.close()
    if (isBusy(cause)) return undefined
    const {problem, reason} = toSqliteFileError(file, cause) ?? {reason: 'cannot be used'}
    const hint =
      problem === 'diskFull' ? diskFullHint : 'Check that its folder can be written, or remove the file and try again'
    throw badSettings(`The lock ${file} ${reason}`, hint, cause)
  }
}

// Runs the work while no other process runs work under the same name.
export async function withLock<T>(
  folder: string,
  name: string,
  work: () => Promise<T> | T,
  limit?: LockLimit,
): Promise<T> {
  makePrivateFolder(folder)
  const file = path.join(folder, `${name}.lock`)
  const startedAt = performance.now()
  let held: HeldLock | undefined
  while (!(held = holdLock(file, 0))) {
    const waitedMs = performance.now() - startedAt
    if (limit && waitedMs > limit.waitMs) throw limit.createError()
    if (waitedMs > waitMaxMs) {
      throw badSettings(`Another svc has held ${file} for a minute`, 'End that process and try again')
    }
    await sleep(pollMs)
  }
  try {
    return await work()
  } finally {
    held.release()
  }
}
