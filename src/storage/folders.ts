// Where svc keeps its files on each platform, and how it makes them private whatever the umask.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {SvcError, badSettings, getSystemCode} from '../errors.ts'

const folderMode = 0o700
export const fileMode = 0o600
const stickyBit = 0o1000
const umaskPrivate = 0o077

// Runs work under a umask that takes from others and leaves to the owner, whatever the shell's own would take.
export function withPrivateUmask<T>(work: () => T): T {
  const before = process.umask(umaskPrivate)
  try {
    return work()
  } finally {
    process.umask(before)
  }
}

type FolderKind = 'config' | 'state' | 'cache'

const linuxFolders: Record<FolderKind, {variable: string; fallback: string}> = {
  config: {variable: 'XDG_CONFIG_HOME', fallback: '.config'},
  state: {variable: 'XDG_STATE_HOME', fallback: '.local/state'},
  cache: {variable: 'XDG_CACHE_HOME', fallback: '.cache'},
}

function platformFolder(kind: FolderKind): string {
  const home = os.homedir()
  if (process.platform === 'darwin') {
    return path.join(
      home,
      'Library',
      kind === 'cache' ? 'Caches' : 'Application Support',
      'svc',
      ...(kind === 'state' ? ['state'] : []),
    )
  }
  if (process.platform === 'win32') {
    const local = process.env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local')
    return path.join(local, 'svc', kind)
  }
  const {variable, fallback} = linuxFolders[kind]
  return path.join(process.env[variable] || path.join(home, fallback), 'svc')
}

export const configFolder = () => process.env['SVC_CONFIG_DIR'] || platformFolder('config')

// What svc remembers by itself. A configuration folder of one's own moves it along, so that one variable isolates all of svc.
export function stateFolder(): string {
  if (process.env['SVC_STATE_DIR']) return process.env['SVC_STATE_DIR']
  return process.env['SVC_CONFIG_DIR'] ? path.join(process.env['SVC_CONFIG_DIR'], 'state') : platformFolder('state')
}

// The database behind the built-in profile "sandbox".
export const sandboxFile = () => process.env['SVC_SANDBOX_FILE'] || path.join(stateFolder(), 'sandbox.sqlite')

// What was meant, sent and answered of every payment.
export const journalFile = () => process.env['SVC_JOURNAL'] || path.join(stateFolder(), 'journal.sqlite')

// Makes a folder that only its owner can enter, and mends the mode of one that svc made before.
export function makePrivateFolder(folder: string): void {
  try {
    withPrivateUmask(() => makeFolder(path.resolve(folder)))
    // A folder such as /tmp belongs to everybody: closing it would break the machine.
    if (fs.statSync(folder).mode & stickyBit) throw createSharedFolderError(folder)
    fs.chmodSync(folder, folderMode)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badSettings(
      `The folder ${folder} cannot be made or made private (${getSystemCode(cause) ?? 'unknown'})`,
      'Check who owns it, or name another with SVC_CONFIG_DIR',
      cause,
    )
  }
}

// One level at a time: where a file system refuses with ENOENT, as /proc does, Node's own recursion never ends.
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder, {mode: folderMode})
  } catch (cause) {
    if (getSystemCode(cause) !== 'EEXIST') throw cause
  }
}

const createSharedFolderError = (folder: string) =>
  badSettings(`The folder ${folder} is shared by all users`, 'Name a folder of its own, such as one below it')
