// Writes an output file that somebody named, for its owner alone. An earlier file stays until all of the new one is written.
import fs from 'node:fs'
import path from 'node:path'
import {badUsage, getSystemCode} from '../errors.ts'
import {getConfigFolder, getSandboxFile, getStateFolder} from './folders.ts'
import {findNamedJournal, getDefaultJournalFile, isDatabase} from './journal-address.ts'
import {Draft, checkReplaceable} from './private-file.ts'

const cannotWrite = (file: string, cause: unknown) =>
  badUsage(`The file ${file} cannot be written (${getSystemCode(cause) ?? 'unknown'})`, 'Name another file', cause)

// For commands that read for a long time before they write.
export function checkOutputFile(file: string): void {
  rejectOwnFile(file)
  try {
    checkReplaceable(file)
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

export async function writeWholeFile(file: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
  rejectOwnFile(file)
  let draft: Draft | undefined
  try {
    draft = new Draft(file)
    for await (const chunk of chunks) draft.write(chunk)
    draft.finish()
  } catch (error) {
    throw getSystemCode(error) === undefined ? error : cannotWrite(file, error)
  } finally {
    draft?.discard()
  }
}

const ownEnding = /\.(json|sqlite|lock)(-wal|-shm|-journal)?$/
// What the files beside a database add to its name.
const besideDatabase = /^(-wal|-shm|-journal|(\.\w+)?\.lock|\.snapshots\b.*)?$/

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
  const databases = [getDefaultJournalFile(), getSandboxFile(), ...(named && !isDatabase(named) ? [named.text] : [])]
  const isBeside = (database: string) =>
    target.startsWith(database) && besideDatabase.test(target.slice(database.length))
  if (databases.map(resolveLinks).some(isBeside)) return true
  const folders = [getConfigFolder(), getStateFolder()].map(resolveLinks)
  return ownEnding.test(target) && folders.some((folder) => target.startsWith(`${folder}${path.sep}`))
}

// Refuses an output file that would overwrite one of svc's own, such as the journal.
function rejectOwnFile(file: string): void {
  if (isOwnFile(file)) throw badUsage(`${file} is a file that svc keeps itself`, 'Name another file; nothing was sent')
}
