// Finds the profile that a folder chooses: the file .svc.json in the working folder or the nearest folder above it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type SvcError, badSettings, getSystemCode} from '../errors.ts'
import {findRepeatedField} from '../values/json.ts'
import {isRecord} from '../values/records.ts'
import {findProfile} from './profiles.ts'

export const folderFileName = '.svc.json'

export interface FolderProfile {
  name: string
  file: string
}

// Far more than a name needs.
const fileBytesMax = 4096
const everybodyWritesBit = 0o002
// A link or a pipe that takes the place of the file is neither followed nor waited for.
const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)
const form = '{"profile": "NAME"}'
const example = `Write ${form} and nothing else`

function getWorkingFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    // The folder was removed.
    return undefined
  }
}

function getHomeFolder(): string {
  const home = os.homedir()
  try {
    return fs.realpathSync.native(home)
  } catch {
    return home
  }
}

// The working folder is asked first, then each one above it, up to the home folder or the root.
function findFile(): string | undefined {
  let folder = getWorkingFolder()
  const home = getHomeFolder()
  while (folder !== undefined) {
    const file = path.join(folder, folderFileName)
    // Anything of that name counts, so that what cannot be used is refused and not passed over.
    if (hasEntry(file)) return file
    const parent: string = path.dirname(folder)
    folder = folder === home || parent === folder ? undefined : parent
  }
  return undefined
}

function hasEntry(file: string): boolean {
  try {
    return fs.lstatSync(file, {throwIfNoEntry: false}) !== undefined
  } catch {
    // The folder may not be searched, so nothing in it can be read.
    return false
  }
}

const reject = (file: string, problem: string, hint: string, cause?: unknown): SvcError =>
  badSettings(`The file ${file}, which chooses a profile, ${problem}`, hint, cause)

// Another user who can write here must not choose what a command does.
function readText(file: string): string {
  const hint = 'Make your own, remove it, or name a profile with -p'
  let descriptor: number
  try {
    descriptor = fs.openSync(file, openFlags)
  } catch (cause) {
    const code = getSystemCode(cause)
    throw reject(file, code === 'ELOOP' ? 'is not a regular file' : `cannot be read (${code})`, hint, cause)
  }
  try {
    const found = fs.fstatSync(descriptor)
    const {uid, mode, size} = found
    if (!found.isFile()) throw reject(file, 'is not a regular file', hint)
    if (process.getuid !== undefined && uid !== process.getuid()) throw reject(file, 'belongs to another user', hint)
    if (process.getuid !== undefined && (mode & everybodyWritesBit) !== 0) {
      throw reject(file, 'can be written by every user', 'Run `chmod o-w` on it')
    }
    if (size > fileBytesMax) throw reject(file, `is larger than ${fileBytesMax} bytes`, example)
    return fs.readFileSync(descriptor, 'utf8')
  } finally {
    fs.closeSync(descriptor)
  }
}

// Its content is not repeated: it may be a secret that somebody put there.
function parseName(file: string, text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const fields = isRecord(value) && findRepeatedField(text) === undefined ? Object.keys(value) : []
  const name = isRecord(value) ? value['profile'] : undefined
  if (fields.length === 1 && typeof name === 'string' && name !== '') return name
  throw reject(file, `is not ${form}`, `${example}; \`svc login\` stores addresses and keys`)
}

// Throws if the file cannot be used: a command must not run with another profile than the folder means.
export function findFolderProfile(): FolderProfile | undefined {
  const file = findFile()
  if (file === undefined) return undefined
  const name = parseName(file, readText(file))
  if (findProfile(name)) return {name, file}
  throw reject(
    file,
    `names the profile "${name}", which does not exist`,
    '`svc profiles list` shows those that do; `svc login -p NAME` creates one',
  )
}
