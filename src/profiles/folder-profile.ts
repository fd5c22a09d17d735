// Finds the profile that a folder chooses: the file .svc.json in the working folder or the nearest folder above it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type SvcError, badSettings} from '../errors.ts'
import {findRepeatedField} from '../values/json.ts'
import {isRecord} from '../values/records.ts'
import {findProfile} from './profiles.ts'

export const folderFileName = '.svc.json'

// Far more than a name needs.
const fileBytesMax = 4096
const everybodyWritesBit = 0o002
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
function findFile(): {file: string; found: fs.Stats} | undefined {
  const home = tryTo(() => fs.realpathSync.native(os.homedir())) ?? os.homedir()
  for (let folder = tryTo(() => process.cwd()); folder !== undefined;) {
    const file = path.join(folder, folderFileName)
    const found = tryTo(() => fs.lstatSync(file, {throwIfNoEntry: false}))
    if (found) return {file, found}
    const parent: string = path.dirname(folder)
    folder = folder === home || parent === folder ? undefined : parent
  }
  return undefined
}

const reject = (file: string, problem: string): SvcError =>
  badSettings(
    `The file ${file}, which chooses a profile, ${problem}`,
    `Write ${form} and nothing else, remove it, or name a profile with -p; \`svc login\` stores addresses and keys`,
  )

// Another user who can write here must not choose what a command does.
const problems: ReadonlyArray<readonly [has: (found: fs.Stats) => boolean, problem: string]> = [
  [(found) => !found.isFile(), 'is not a regular file'],
  [({uid}) => uid !== (process.getuid?.() ?? uid), 'belongs to another user'],
  [({mode}) => process.getuid !== undefined && (mode & everybodyWritesBit) !== 0, 'can be written by every user'],
  [({size}) => size > fileBytesMax, `is larger than ${fileBytesMax} bytes`],
]

// Throws if the file cannot be used: a command must not run with another profile than the folder means. Its content is not repeated:
// it may be a secret that somebody put there.
export function findFolderProfile(): {name: string; file: string} | undefined {
  const {file, found} = findFile() ?? {}
  if (file === undefined || !found) return undefined
  const problem = problems.find(([has]) => has(found))?.[1]
  if (problem !== undefined) throw reject(file, problem)
  const text = tryTo(() => fs.readFileSync(file, 'utf8'))
  if (text === undefined) throw reject(file, 'cannot be read')
  const value: unknown = tryTo(() => JSON.parse(text) as unknown)
  const name = isRecord(value) && Object.keys(value).length === 1 ? value['profile'] : undefined
  if (typeof name !== 'string' || name === '' || findRepeatedField(text) !== undefined) {
    throw reject(file, `is not ${form}`)
  }
  if (!findProfile(name)) throw reject(file, `names the profile "${name}", which does not exist`)
  return {name, file}
}
