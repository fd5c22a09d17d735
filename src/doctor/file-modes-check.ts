// Checks that only the owner can read the files and folders of svc.
import {quoteForShell} from '../values/text.ts'
import fs from 'node:fs'
import {getSystemCode} from '../errors.ts'
import {getConfigFolder, getStateFolder} from '../storage/folders.ts'
import {getSettingsPath} from '../profiles/profiles.ts'
import {getSecretsPath} from '../profiles/secrets.ts'
import {type CheckResult, failed, ok, skipped} from './run-checks.ts'

const groupAndOtherBits = 0o077
const stickyBit = 0o1000
const permissionBits = 0o7777
const octal = 8

interface PrivatePath {
  path: string
  // The mode that it should have.
  mode: '600' | '700'
}

// The config folder counts once svc has stored something in it. A state folder that was named with SVC_STATE_DIR may be
// shared on purpose; svc itself makes the sandbox's file in it private.
function listPrivatePaths(): PrivatePath[] {
  const files = [getSettingsPath(), getSecretsPath()].filter((path) => fs.existsSync(path))
  const folders = [
    ...(files.length > 0 ? [getConfigFolder()] : []),
    ...(process.env['SVC_STATE_DIR'] ? [] : [getStateFolder()]),
  ]
  return [
    ...folders.map((path) => ({path, mode: '700' as const})),
    ...files.map((path) => ({path, mode: '600' as const})),
  ]
}

interface Problem {
  what: string
  remedy: string
}

function findProblem({path, mode}: PrivatePath): Problem | undefined | 'absent' {
  let status: fs.Stats
  try {
    status = fs.statSync(path)
  } catch (cause) {
    if (getSystemCode(cause) === 'ENOENT') return 'absent'
    return {
      what: `${path} cannot be checked (${getSystemCode(cause)})`,
      remedy: `check who owns ${quoteForShell(path)}`,
    }
  }
  if (status.uid !== process.getuid?.()) {
    return {
      what: `${path} belongs to another user`,
      remedy: `make ${quoteForShell(path)} your own, or name another folder`,
    }
  }
  if (status.mode & stickyBit) {
    return {what: `${path} is shared by all users`, remedy: 'name a folder of its own in SVC_CONFIG_DIR'}
  }
  if (!(status.mode & groupAndOtherBits)) return undefined
  const own = (status.mode & permissionBits).toString(octal).padStart(4, '0')
  return {what: `${path} has mode ${own}, so others can read it`, remedy: `\`chmod ${mode} ${quoteForShell(path)}\``}
}

export function checkFileModes(): CheckResult {
  if (!process.getuid) return skipped('This system has no file modes')
  const results = listPrivatePaths().map(findProblem)
  const problems = results.filter((problem) => typeof problem === 'object')
  if (problems.length > 0) {
    const what = problems.map((problem) => problem.what).join('; ')
    const remedies = problems.map(({remedy}) => remedy).join(', then ')
    return failed(what, remedies.charAt(0).toUpperCase() + remedies.slice(1))
  }
  const presentCount = results.filter((problem) => problem === undefined).length
  return presentCount === 0 ? ok('svc has stored nothing here yet') : ok('Only you can read what svc has stored')
}
