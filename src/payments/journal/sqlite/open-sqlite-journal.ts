// Opens the journal in a file, for one payment at a time or for many at once.
import type {Journal, JournalOptions} from '../journal.ts'
import {openJournalFile} from './file.ts'
import {GroupedJournal} from './grouped-journal.ts'
import {SqliteJournal} from './sqlite-journal.ts'

export function openSqliteJournal(
  file: string,
  {now = Date.now, isGrouped = false, isOnlyRead = false}: JournalOptions = {},
): Journal {
  const connection = openJournalFile(file, {isOnlyRead})
  return isGrouped ? new GroupedJournal(connection, file, now) : new SqliteJournal(connection, file, now)
}
