// Creates the database file so that only its owner can read it, whatever the umask says.
import {chmodSync, closeSync, existsSync, fchmodSync, mkdirSync, openSync, statSync} from 'node:fs'
import {dirname} from 'node:path'

const folderMode = 0o700
const fileMode = 0o600
const permissionBits = 0o777

const isAlreadyThere = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST'

// One level at a time: under a umask that denies everything, a folder must be opened up before another can go into it.
// A folder that was there before belongs to somebody and keeps its mode.
function createFolder(folder: string) {
  if (existsSync(folder)) return
  createFolder(dirname(folder))
  try {
    mkdirSync(folder, {mode: folderMode})
    chmodSync(folder, folderMode)
  } catch (error) {
    if (!isAlreadyThere(error)) throw error
  }
}

export function createPrivateFile(file: string) {
  createFolder(dirname(file))
  try {
    const descriptor = openSync(file, 'wx', fileMode)
    fchmodSync(descriptor, fileMode)
    closeSync(descriptor)
  } catch (error) {
    if (!isAlreadyThere(error)) throw error
  }
}

// A file that was copied or restored may have lost its mode. SQLite gives its side files the mode of the main one.
export function ensurePrivateMode(file: string) {
  if ((statSync(file).mode & permissionBits) !== fileMode) chmodSync(file, fileMode)
}
