// File systems that cannot be written: full, or mounted read-only.
import {execFile, execFileSync} from 'node:child_process'
import {type Home, type RunResult, bin} from './svc.ts'

// Root may write to any file, so nothing but a mount keeps it out.
const namespaceFlags = process.getuid?.() === 0 ? '-m' : '-rm'
export const canMount = (() => {
  try {
    execFileSync('unshare', [namespaceFlags, 'mount', '-t', 'tmpfs', 'none', '/mnt'], {stdio: 'ignore'})
    return true
  } catch {
    return false
  }
})()

const makeUnwritable = {
  'read-only file system': 'mount --bind "$folder" "$folder" && mount -o remount,ro,bind "$folder"',
  'full disk':
    'mount -t tmpfs -o size=1m none /mnt && cp -a "$folder/." /mnt && mount --bind /mnt "$folder" && ! cat /dev/zero 2>/dev/null >"$folder/filler"',
} as const

type FileSystem = keyof typeof makeUnwritable

// Runs the built program with one folder that cannot be written.
export function runUnwritable(
  fileSystem: FileSystem,
  home: Home,
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
) {
  const script = `folder=$1; shift; ${makeUnwritable[fileSystem]} && exec "$@"`
  return new Promise<RunResult>((resolve) => {
    execFile(
      'unshare',
      [namespaceFlags, 'sh', '-c', script, 'sh', folder, process.execPath, bin, ...args],
      {env: {...home.env, ...env}, cwd: home.folder},
      (error, out, err) => resolve({code: error ? Number(error.code) : 0, out, err}),
    )
  })
}
