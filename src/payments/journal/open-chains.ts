// Opens the chains of a journal in the store that its address names.
import {badUsage} from '../../errors.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {ChainReader} from './chain-reader.ts'
import {hasJournalFile} from './sqlite/file.ts'

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
