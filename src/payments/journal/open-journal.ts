// Opens the journal in the store that its address names.
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {Journal, JournalOptions} from './journal.ts'
import {openJournalFile} from './sqlite/file.ts'
import {GroupedJournal} from './sqlite/grouped-journal.ts'
import {SqliteJournal} from './sqlite/sqlite-journal.ts'

export async function openJournal(address: JournalAddress, options: JournalOptions = {}): Promise<Journal> {
  if (!isDatabase(address)) return openSqliteJournal(address.text, options)
  const {openPostgresJournal} = await import('./postgres/open-postgres-journal.ts')
  return openPostgresJournal(address, options)
}

// Opens the journal in a file, for one payment at a time or for many at once.
export function openSqliteJournal(
  file: string,
  {now = Date.now, isGrouped = false, isOnlyRead = false}: JournalOptions = {},
): Journal {
  const connection = openJournalFile(file, {isOnlyRead})
  return isGrouped ? new GroupedJournal(connection, file, now) : new SqliteJournal(connection, file, now)
}
