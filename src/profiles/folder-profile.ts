// Finds the profile that a folder chooses: the file .svc.json in the working folder or the nearest folder above it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type SvcError, badSettings, getSystemCode} from '../errors.ts'
import {findRepeatedField} from '../values/json.ts'
import {isRecord} from '../values/records.ts'
import {findProfile} from './profiles.ts'

export const folderFileName = '.svc.json'

// Far more than a name needs.
const fileBytesMax = 4096
const everybodyWritesBit = 0o002
// A link or a pipe that takes the place of the file is neither followed nor waited for.
const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)
const form = '{"profile": "NAME"}'

// A folder that was removed, or may not be searched, has nothing that can be read.
function tryTo<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

// The working folder is asked first, then each one above it, up to the home folder or the root. Anything of that name counts, so
// that what cannot be used is refused and not passed over.
function findFile(): string | undefined {
  const home = tryTo(() => fs.realpathSync.native(os.homedir())) ?? os.homedir()
  for (let folder = tryTo(() => process.cwd()); folder !== undefined;) {
    const file = path.join(folder, folderFileName)
    if (tryTo(() => fs.lstatSync(file, {throwIfNoEntry: false}))) return file
    const parent: string = path.dirname(folder)
    folder = folder === home || parent === folder ? undefined : parent
  }
  return undefined
}

const reject = (file: string, problem: string, cause?: unknown): SvcError =>
  badSettings(
    `The file ${file}, which chooses a profile, ${problem}`,
    `Write ${form} and nothing else, remove it, or name a profile with -p; \`svc login\` stores addresses and keys`,
    cause,
  )

// Another user who can write here must not choose what a command does.
function readText(file: string): string {
  let descriptor: number
  try {
    descriptor = fs.openSync(file, openFlags)
  } catch (cause) {
    const code = getSystemCode(cause)
    throw reject(file, code === 'ELOOP' ? 'is not a regular file' : `cannot be read (${code})`, cause)
  }
  try {
    const found = fs.fstatSync(descriptor)
    const user = process.getuid?.() ?? found.uid
    if (!found.isFile()) throw reject(file, 'is not a regular file')
    if (found.uid !== user) throw reject(file, 'belongs to another user')
    if (process.getuid && (found.mode & everybodyWritesBit) !== 0) throw reject(file, 'can be written by every user')
    if (found.size > fileBytesMax) throw reject(file, `is larger than ${fileBytesMax} bytes`)
    return fs.readFileSync(descriptor, 'utf8')
  } finally {
    fs.closeSync(descriptor)
  }
}

// Throws if the file cannot be used: a command must not run with another profile than the folder means. Its content is not repeated:
// it may be a secret that somebody put there.
export function findFolderProfile(): {name: string; file: string} | undefined {
  const file = findFile()
  if (file === undefined) return undefined
  const text = readText(file)
  const value: unknown = tryTo(() => JSON.parse(text) as unknown)
  const name = isRecord(value) && Object.keys(value).length === 1 ? value['profile'] : undefined
  if (typeof name !== 'string' || name === '' || findRepeatedField(text) !== undefined) {
    throw reject(file, `is not ${form}`)
  }
  if (!findProfile(name)) throw reject(file, `names the profile "${name}", which does not exist`)
  return {name, file}
}
