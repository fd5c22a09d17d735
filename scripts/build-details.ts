// Which commit is built, and of when it is. The date is that of the commit, so that two builds of one commit are equal. Where
// there is no repository, SOURCE_COMMIT and SOURCE_DATE_EPOCH name them.
import {execFileSync} from 'node:child_process'
import {readPackage, root} from './surface.ts'

// `null` where there is no repository, as in an unpacked source archive.
function runGit(...args: string[]): string | null {
  try {
    return execFileSync('git', args, {cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim()
  } catch {
    return null
  }
}

export function getSourceEpochSeconds(): number | null {
  const seconds = process.env['SOURCE_DATE_EPOCH'] || runGit('log', '-1', '--format=%ct')
  return seconds === null ? null : Number(seconds)
}

export interface BuildDetails {
  version: string
  // Ends with -dirty if files were changed since.
  commit: string | null
  date: string | null
}

export function describeBuild(): BuildDetails {
  const seconds = getSourceEpochSeconds()
  return {
    version: readPackage().version,
    commit: process.env['SOURCE_COMMIT'] || runGit('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'),
    date: seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'),
  }
}
