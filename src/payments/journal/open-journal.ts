// Opens the journal in the store that its address names.
import {badUsage} from '../../errors.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {ChainReader} from './chain.ts'
import type {JournalOptions} from './journal.ts'
import {SqliteJournal, hasJournalFile, openJournalFile} from './sqlite/sqlite-journal.ts'
import type {StoredJournal} from './stored-journal.ts'

export async function openJournal(address: JournalAddress, options: JournalOptions = {}): Promise<StoredJournal> {
  if (!isDatabase(address)) return openSqliteJournal(address.text, options)
  const {openPostgresJournal} = await import('./postgres/open-postgres-journal.ts')
  return openPostgresJournal(address, options)
}

export async function withJournal<T>(
  address: JournalAddress,
  work: (journal: StoredJournal) => Promise<T>,
): Promise<T> {
  const journal = await openJournal(address)
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}

export const openSqliteJournal = (file: string, {now = Date.now}: JournalOptions = {}): SqliteJournal =>
  new SqliteJournal(openJournalFile(file), file, now)

export async function withChainReader<T>(
  address: JournalAddress,
  work: (reader: ChainReader) => Promise<T>,
): Promise<T> {
  if (!isDatabase(address) && !hasJournalFile(address.text)) {
    throw badUsage(`There is no journal ${address.text}`, 'svc creates it with the first payment')
  }
  return withJournal(address, (journal) => journal.readChains(work))
}
