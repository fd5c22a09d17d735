// Opens the journal in the store that its address names.
import {badUsage} from '../../errors.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {ChainReader} from './chain.ts'
import type {Journal, JournalOptions} from './journal.ts'
import {hasJournalFile, openJournalFile} from './sqlite/file.ts'
import {GroupedJournal} from './sqlite/grouped-journal.ts'
import {SqliteJournal} from './sqlite/sqlite-journal.ts'

export async function openJournal(address: JournalAddress, options: JournalOptions = {}): Promise<Journal> {
  if (!isDatabase(address)) return openSqliteJournal(address.text, options)
  const {openPostgresJournal} = await import('./postgres/open-postgres-journal.ts')
  return openPostgresJournal(address, options)
}

// Opens the journal for some work, and ends only when what the work wrote is durable.
export async function withJournal<T>(address: JournalAddress, work: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await openJournal(address)
  try {
    const result = await work(journal)
    await journal.flush()
    return result
  } finally {
    await journal.close()
  }
}

// Opens the journal in a file, for one payment at a time or for many at once.
export function openSqliteJournal(file: string, {now = Date.now, isGrouped = false}: JournalOptions = {}): Journal {
  const connection = openJournalFile(file)
  return isGrouped ? new GroupedJournal(connection, file, now) : new SqliteJournal(connection, file, now)
}

// Opens the chains of a journal in the store that its address names.

// The journal may be written meanwhile: all that is read is of the same moment.
export async function withChainReader<T>(
  address: JournalAddress,
  work: (reader: ChainReader) => Promise<T>,
): Promise<T> {
  if (isDatabase(address)) {
    const {withPostgresChains} = await import('./postgres/chain-reader.ts')
    return withPostgresChains(address, work)
  }
  if (!hasJournalFile(address.text)) {
    throw badUsage(`There is no journal ${address.text}`, 'svc creates it with the first payment')
  }
  const {withSqliteChains} = await import('./sqlite/chain-reader.ts')
  return withSqliteChains(address.text, work)
}
