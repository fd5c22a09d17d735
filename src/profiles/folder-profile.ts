// Finds the profile that a folder chooses: the file .svc.json in the working folder or the nearest folder above it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type SvcError, badSettings, getSystemCode} from '../errors.ts'
import {findRepeatedField} from '../values/json.ts'
import {findProfile} from './profiles.ts'

export const folderFileName = '.svc.json'

export interface FolderProfile {
  name: string
  file: string
}

// Far more than a name needs.
const fileBytesMax = 4096
const everybodyWritesBit = 0o002
const example = 'Write {"profile": "NAME"} and nothing else'

// A link or a pipe that takes the place of the file is neither followed nor waited for.
const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

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

function rejectForeign(file: string, {uid, mode, size}: fs.Stats): void {
  const hint = 'Make your own, remove it, or name a profile with -p'
  if (process.getuid !== undefined && uid !== process.getuid()) throw reject(file, 'belongs to another user', hint)
  if (process.getuid !== undefined && (mode & everybodyWritesBit) !== 0) {
    throw reject(file, 'can be written by every user', 'Run `chmod o-w` on it')
  }
  if (size > fileBytesMax) throw reject(file, `is larger than ${fileBytesMax} bytes`, example)
}

function readText(file: string): string {
  let descriptor: number
  try {
    descriptor = fs.openSync(file, openFlags)
  } catch (cause) {
    const code = getSystemCode(cause)
    if (code === 'ELOOP') throw reject(file, 'is a link', 'Put a regular file there', cause)
    throw reject(file, `cannot be read (${code})`, 'Check who owns it, or name a profile with -p', cause)
  }
  try {
    const found = fs.fstatSync(descriptor)
    if (!found.isFile()) throw reject(file, 'is not a regular file', 'Put a regular file there')
    rejectForeign(file, found)
    return fs.readFileSync(descriptor, 'utf8')
  } finally {
    fs.closeSync(descriptor)
  }
}

const plainName = /^[a-zA-Z]{1,24}$/

// A secret that somebody put there is not repeated.
const describeField = (field: string) => (plainName.test(field) ? `the field "${field}"` : 'another field')

function parseName(file: string, text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw reject(file, 'is not valid JSON', example, cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw reject(file, 'is no object', example)
  const other = Object.keys(value).find((field) => field !== 'profile')
  if (other !== undefined) {
    throw reject(file, `has ${describeField(other)}`, `${example}; \`svc login\` stores addresses and keys`)
  }
  if (findRepeatedField(text) !== undefined) throw reject(file, 'has the field "profile" twice', example)
  const {profile} = value as {profile?: unknown}
  if (typeof profile !== 'string' || profile === '') throw reject(file, 'names no profile', example)
  return profile
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
