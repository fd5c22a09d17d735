// Opens the journal in the store that its address names.
import type {Journal, JournalOptions} from './journal.ts'
import {openSqliteJournal} from './sqlite/sqlite-journal.ts'

export async function openJournal(file: string, options: JournalOptions = {}): Promise<Journal> {
  return openSqliteJournal(file, options)
}
