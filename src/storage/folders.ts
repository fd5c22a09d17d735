// Where svc stores its files on each platform. Not env-paths: it has no state folder, and its folders on macOS and Windows differ.
import os from 'node:os'
import path from 'node:path'

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

// What can be made again at any time: compiled code and completion scripts. bin/run.js finds it in the same way.
export const getCacheFolder = () =>
  process.env['SVC_CACHE_DIR'] || path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'svc')

// The database of the built-in profile "sandbox".
export const getSandboxFile = () => process.env['SVC_SANDBOX_FILE'] || path.join(getStateFolder(), 'sandbox.sqlite')
