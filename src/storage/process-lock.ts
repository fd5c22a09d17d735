// Locks between processes. SQLite's file lock holds them, so the operating system releases them when the holder dies.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {setTimeout as sleep} from 'node:timers/promises'
import {badSettings} from '../errors.ts'
import {isBusy} from './sqlite-error.ts'
import {checkReplaceable, createPrivateFile, ensurePrivateMode, makePrivateFolder} from './private-file.ts'

const waitMaxMs = 60_000
const pollMs = 20

export interface LockLimit {
  // How long to wait for the lock, if that is less than the usual minute, and the error to throw then.
  waitMs: number
  createError: () => Error
}

function openLockFile(file: string, busyWaitMs = 0): DatabaseSync {
  try {
    checkReplaceable(file)
    createPrivateFile(file)
    ensurePrivateMode(file)
    return new DatabaseSync(file, {timeout: busyWaitMs})
  } catch (cause) {
    throw badSettings(`The lock ${file} cannot be opened`, 'Check that the folder can be written', cause)
  }
}

// False if another process holds the lock.
function tryLock(database: DatabaseSync, file: string): boolean {
  try {
    database.exec('begin exclusive')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw badSettings(`The lock ${file} cannot be used`, 'Remove the file and try again', error)
  }
}

async function waitForLock(database: DatabaseSync, file: string, limit: LockLimit | undefined): Promise<void> {
  const startedAt = performance.now()
  while (!tryLock(database, file)) {
    const waitedMs = performance.now() - startedAt
    if (limit && waitedMs > limit.waitMs) throw limit.createError()
    if (waitedMs > waitMaxMs) {
      throw badSettings(`Another svc has held ${file} for a minute`, 'End that process and try again')
    }
    await sleep(pollMs)
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
  const database = openLockFile(file)
  try {
    await waitForLock(database, file, limit)
    return await work()
  } finally {
    database.close()
  }
}

export interface HeldLock {
  release(): void
}

// Takes a lock until it is released or the process ends. Undefined if another process still holds it after the wait. Keep
// the result: the lock is also released when it is garbage collected.
export function holdLock(file: string, waitMs: number): HeldLock | undefined {
  const database = openLockFile(file, waitMs)
  if (tryLock(database, file)) return {release: () => database.close()}
  database.close()
  return undefined
}
