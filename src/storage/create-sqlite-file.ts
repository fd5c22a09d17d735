// Creates the SQLite file of a store as a whole, so that no process ever finds it empty, whenever another one is killed.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import {DatabaseSync} from 'node:sqlite'
import {getSystemCode} from '../errors.ts'
import {createPrivateFile} from './private-file.ts'
import {SqliteFileError} from './sqlite-error.ts'

const getLogFile = (file: string) => `${file}-wal`

// Whether the file exists. Throws if only its write-ahead log does: then there was a file, and a new one in its place would
// be filled from that log. The log is looked for first, because another process creates it last.
export function checkFileExists(file: string): boolean {
  const hasLog = fs.existsSync(getLogFile(file))
  if (fs.existsSync(file)) return true
  if (!hasLog) return false
  throw new SqliteFileError(file, 'missing', `is missing, although its write-ahead log ${getLogFile(file)} is there`)
}

// These file systems have no hard links.
const noLinkCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

// Gives the finished file its name, unless another process was faster. Where there are no links the file has to be filled
// under its own name. False in that case.
function linkInPlace(draft: string, file: string): boolean {
  try {
    fs.linkSync(draft, file)
    return true
  } catch (error) {
    const code = getSystemCode(error)
    if (code === 'EEXIST') return true
    if (code !== undefined && noLinkCodes.has(code)) return false
    throw error
  }
}

// Runs the SQL in a new database. Returns false if the caller has to fill the file itself.
export function createWholeFile(file: string, sql: string): boolean {
  if (checkFileExists(file)) return true
  const draft = `${file}.${randomUUID().slice(0, 8)}.new`
  createPrivateFile(draft)
  try {
    const database = new DatabaseSync(draft)
    try {
      database.exec(`begin; ${sql}; commit`)
    } finally {
      database.close()
    }
    if (linkInPlace(draft, file)) return true
    createPrivateFile(file)
    return false
  } finally {
    fs.rmSync(draft, {force: true})
    fs.rmSync(`${draft}-journal`, {force: true})
  }
}
