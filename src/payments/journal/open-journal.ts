// Opens the journal in the store that its address names.
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {Journal, JournalOptions} from './journal.ts'
import {openSqliteJournal} from './sqlite/open-sqlite-journal.ts'

export async function openJournal(address: JournalAddress, options: JournalOptions = {}): Promise<Journal> {
  if (!isDatabase(address)) return openSqliteJournal(address.text, options)
  const {openPostgresJournal} = await import('./postgres/open-postgres-journal.ts')
  return openPostgresJournal(address, options)
}
