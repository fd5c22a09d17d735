// Where svc stores its files on each platform. Not env-paths: it has no state folder, and its folders on macOS and Windows differ.
import os from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {badSettings} from '../errors.ts'

type FolderKind = 'config' | 'state'

const linuxFolders: Record<FolderKind, {variable: string; fallback: string}> = {
  config: {variable: 'XDG_CONFIG_HOME', fallback: '.config'},
  state: {variable: 'XDG_STATE_HOME', fallback: '.local/state'},
}

const macFolders: Record<FolderKind, string> = {
  config: 'Application Support/svc',
  state: 'Application Support/svc/state',
}

function getPlatformFolder(kind: FolderKind): string {
  const home = os.homedir()
  if (process.platform === 'darwin') return path.join(home, 'Library', macFolders[kind])
  if (process.platform === 'win32') {
    const local = process.env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local')
    return path.join(local, 'svc', kind)
  }
  const {variable, fallback} = linuxFolders[kind]
  return path.join(process.env[variable] || path.join(home, fallback), 'svc')
}

export const getConfigFolder = () => process.env['SVC_CONFIG_DIR'] || getPlatformFolder('config')

// What svc writes by itself. SVC_CONFIG_DIR moves it too, so that one variable isolates all of svc.
export function getStateFolder(): string {
  if (process.env['SVC_STATE_DIR']) return process.env['SVC_STATE_DIR']
  return process.env['SVC_CONFIG_DIR'] ? path.join(process.env['SVC_CONFIG_DIR'], 'state') : getPlatformFolder('state')
}

// The database of the built-in profile "sandbox".
export const getSandboxFile = () => process.env['SVC_SANDBOX_FILE'] || path.join(getStateFolder(), 'sandbox.sqlite')

const schemePattern = /^([a-z][a-z0-9+.-]*):\/\//i

// An address of something else than a file would become a file of that name, and nobody would find the journal there. The
// address may contain a password, so it is not repeated.
function parseJournalFile(text: string): string {
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined && text !== ':memory:') return text
  if (scheme === 'file' && URL.canParse(text)) return fileURLToPath(text)
  throw badSettings(
    scheme === undefined
      ? 'SVC_JOURNAL is :memory:, but the journal must outlive the process'
      : `SVC_JOURNAL is an address that begins with ${scheme}://, but the journal is a file`,
    'Name a file; nothing was sent',
  )
}

export const getJournalFile = () =>
  process.env['SVC_JOURNAL']
    ? parseJournalFile(process.env['SVC_JOURNAL'])
    : path.join(getStateFolder(), 'journal.sqlite')
