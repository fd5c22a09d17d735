// One process at a time: a lock that the operating system releases when its holder dies, held by SQLite's own file lock.
import {DatabaseSync} from 'node:sqlite'
import fs from 'node:fs'
import path from 'node:path'
import {badSettings} from '../errors.ts'
import {fileMode, makePrivateFolder, withPrivateUmask} from './folders.ts'

const waitMaxMs = 60_000
const pollMs = 20

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const isBusy = (error: unknown) => error instanceof Error && /database is locked|busy/.test(error.message)

export interface LockLimit {
  // How long to wait for the lock, where it is shorter than usual, and what is thrown then.
  waitMs: number
  createError: () => Error
}

async function acquireLock(database: DatabaseSync, file: string, limit?: LockLimit): Promise<void> {
  const giveUpAt = performance.now() + waitMaxMs
  const limitAt = performance.now() + (limit?.waitMs ?? Number.POSITIVE_INFINITY)
  for (;;) {
    try {
      database.exec('BEGIN EXCLUSIVE')
      return
    } catch (error) {
      if (!isBusy(error)) throw badSettings(`The lock ${file} cannot be used`, 'Remove the file and try again', error)
      if (limit && performance.now() > limitAt) throw limit.createError()
      if (performance.now() > giveUpAt) {
        throw badSettings(`Another svc has held ${file} for a minute`, 'End that process and try again', error)
      }
      await pause(pollMs)
    }
  }
}

export async function withLock<T>(
  folder: string,
  name: string,
  work: () => Promise<T> | T,
  limit?: LockLimit,
): Promise<T> {
  makePrivateFolder(folder)
  const file = path.join(folder, `${name}.lock`)
  let database: DatabaseSync
  try {
    database = withPrivateUmask(() => new DatabaseSync(file))
    fs.chmodSync(file, fileMode)
  } catch (cause) {
    throw badSettings(`The lock ${file} cannot be opened`, 'Check that the folder can be written', cause)
  }
  try {
    await acquireLock(database, file, limit)
    return await work()
  } finally {
    database.close()
  }
}
