// Keeps files that svc keeps itself, such as the journal, from being overwritten by an output file.
import fs from 'node:fs'
import path from 'node:path'
import {badUsage} from '../errors.ts'
import {getConfigFolder, getSandboxFile, getStateFolder} from './folders.ts'
import {findNamedJournal, getDefaultJournalFile, isDatabase} from './journal-address.ts'

const sideFiles = ['', '-wal', '-shm', '-journal', '.lock']
const ownEnding = /\.(json|sqlite|lock)(-wal|-shm|-journal)?$/

// The path without links, also of a file that is not there yet.
function resolveLinks(file: string): string {
  const resolved = path.resolve(file)
  try {
    return fs.realpathSync(resolved)
  } catch {
    const folder = path.dirname(resolved)
    return folder === resolved ? resolved : path.join(resolveLinks(folder), path.basename(resolved))
  }
}

// Settings, credentials, the journal, the sandbox and what belongs to them.
function isOwnFile(file: string): boolean {
  const target = resolveLinks(file)
  const named = findNamedJournal()
  const journals = [getDefaultJournalFile(), ...(named && !isDatabase(named) ? [named.text] : [])]
  const databases = [...journals, getSandboxFile()].map(resolveLinks)
  if (databases.some((database) => sideFiles.some((ending) => target === `${database}${ending}`))) return true
  const folders = [getConfigFolder(), getStateFolder()].map(resolveLinks)
  return ownEnding.test(target) && folders.some((folder) => target.startsWith(`${folder}${path.sep}`))
}

export function rejectOwnFile(file: string): void {
  if (isOwnFile(file)) throw badUsage(`${file} is a file that svc keeps itself`, 'Name another file; nothing was sent')
}
