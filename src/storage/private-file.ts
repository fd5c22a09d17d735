// Files and folders that only their owner can read, whatever the umask is.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'
import {getConfigFolder, getStateFolder} from './folders.ts'

export const fileMode = 0o600
export const folderMode = 0o700
const permissionBits = 0o777
const everybodyWritesBit = 0o002
const privateUmask = 0o077

// For libraries that create files themselves: the umask keeps other users out and leaves the owner everything.
export function withPrivateUmask<T>(work: () => T): T {
  const previous = process.umask(privateUmask)
  try {
    return work()
  } finally {
    process.umask(previous)
  }
}

// Creates a folder and the missing ones above it. An existing folder keeps its mode. One level at a time: under a umask
// that denies everything a folder must be opened up before another can be created in it, and where a file system answers
// with ENOENT, as /proc does, the recursion of Node never ends.
function createFolders(folder: string): void {
  if (fs.existsSync(folder)) return
  createFolders(path.dirname(folder))
  try {
    fs.mkdirSync(folder, {mode: folderMode})
    fs.chmodSync(folder, folderMode)
  } catch (error) {
    if (getSystemCode(error) !== 'EEXIST') throw error
  }
}

// Throws if something other than a regular file is there: a device, a pipe, a folder or a link must not be replaced.
export function checkReplaceable(file: string): void {
  const existing = fs.lstatSync(file, {throwIfNoEntry: false})
  if (!existing || existing.isFile()) return
  const code = existing.isDirectory() ? 'EISDIR' : existing.isSymbolicLink() ? 'a link' : 'not a file'
  throw Object.assign(new Error(`${file} is not a regular file`), {code})
}

function rejectOpen(folder: string): void {
  const found = fs.statSync(folder, {throwIfNoEntry: false})
  if (!process.getuid || !found?.isDirectory() || (found.mode & everybodyWritesBit) === 0) return
  throw badSettings(
    `Other users can write to the folder ${folder}`,
    'Name another folder, such as one below it; svc does not change it',
  )
}

// Throws if everybody can write to the folder, whatever svc would read or write there: another user
// could replace a file, remove it, or put one where svc will create its own. The last is why the
// sticky bit, as of /tmp, is not enough. A folder of svc in its configuration or state folder is
// checked with these; the other folders above are up to whoever made them.
function rejectOpenFolder(folder: string): void {
  const whole = path.resolve(folder)
  rejectOpen(whole)
  for (const around of [getConfigFolder(), getStateFolder()].map((each) => path.resolve(each)))
    if (whole.startsWith(around + path.sep)) rejectOpen(around)
}

// Checks the folder of a file, and if a link names it, that of the file itself and of every link on
// the way: whoever can replace one of them leads to another file.
export function rejectOpenFolders(file: string): void {
  rejectOpenFolder(path.dirname(file))
  if (!fs.existsSync(file)) return
  rejectOpenFolder(path.dirname(fs.realpathSync(file)))
  let link = file
  while (fs.lstatSync(link).isSymbolicLink()) {
    link = path.resolve(fs.realpathSync(path.dirname(link)), fs.readlinkSync(link))
    rejectOpenFolder(path.dirname(link))
  }
}

// Creates a folder for its owner alone. One that is there keeps its mode, since svc may not have made it: what svc puts there is
// private by itself.
export function makePrivateFolder(folder: string): void {
  try {
    rejectOpenFolder(folder)
    createFolders(path.resolve(folder))
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badSettings(
      `The folder ${folder} cannot be created or used (${getSystemCode(cause) ?? 'unknown'})`,
      'Check who owns it, or name another with SVC_CONFIG_DIR',
      cause,
    )
  }
}

// Creates an empty file, and the folders above it. An existing file is left as it is.
export function createPrivateFile(file: string): void {
  if (fs.existsSync(file)) return
  createFolders(path.dirname(file))
  try {
    const descriptor = fs.openSync(file, 'wx', fileMode)
    fs.fchmodSync(descriptor, fileMode)
    fs.closeSync(descriptor)
  } catch (error) {
    if (getSystemCode(error) !== 'EEXIST') throw error
  }
}

// A file that was copied or restored may have lost its mode. SQLite gives its side files the mode of the main one.
export function ensurePrivateMode(file: string): void {
  if ((fs.statSync(file).mode & permissionBits) !== fileMode) fs.chmodSync(file, fileMode)
}

// A file that is written beside the one it will replace. A process that is killed leaves the old content or the new one, never a
// part of it.
export class Draft {
  readonly #file: string
  readonly #name: string
  readonly #descriptor: number

  constructor(file: string) {
    checkReplaceable(file)
    this.#file = file
    this.#name = `${file}.${randomUUID().slice(0, 8)}.part`
    this.#descriptor = fs.openSync(this.#name, 'wx', fileMode)
    fs.fchmodSync(this.#descriptor, fileMode)
    // Ctrl-C leaves nothing behind.
    process.once('exit', this.discard)
  }

  write(text: string): void {
    fs.writeFileSync(this.#descriptor, text)
  }

  finish(): void {
    fs.fsyncSync(this.#descriptor)
    fs.renameSync(this.#name, this.#file)
  }

  // After it is finished, this only lets go of it.
  discard = (): void => {
    process.off('exit', this.discard)
    fs.closeSync(this.#descriptor)
    fs.rmSync(this.#name, {force: true})
  }
}

export function replacePrivateFile(file: string, text: string): void {
  const draft = new Draft(file)
  try {
    draft.write(text)
    draft.finish()
  } finally {
    draft.discard()
  }
}

// For what svc keeps in a folder of its own.
export function keepPrivateFile(file: string, text: string): void {
  makePrivateFolder(path.dirname(file))
  try {
    replacePrivateFile(file, text)
  } catch (cause) {
    const hint = 'Check who owns it and its folder, and that the disk has space'
    throw badSettings(`The file ${file} cannot be written (${getSystemCode(cause) ?? 'unknown'})`, hint, cause)
  }
}
