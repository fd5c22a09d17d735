// Copies a journal from an SQLite file to an empty one in a PostgreSQL database, all or nothing.
// Every line of the history keeps its place in the chain and its hash, so that a head that was
// signed before the copy still holds, and the chain proves the copy.
import {SvcError, badUsage} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import type {Query} from '../../storage/postgres/database.ts'
import {digestChains} from '../audit/head.ts'
import {createNotIntactError, verifyJournal} from '../audit/verify-journal.ts'
import {
  type ChainHead,
  type ChainReader,
  fileChain,
  pickDatabaseChain,
  walkEntries,
  walkStoredPayments,
} from './chain.ts'
import {withChainReader} from './open-journal.ts'
import {hasEnded} from '../../storage/process-identity.ts'
import {readOwner} from './owner.ts'
import {checkVersion, withJournalDatabase} from './postgres/open-postgres-journal.ts'
import {createChainReader, storeChanges} from './postgres/postgres-journal.ts'
import {SpendingSums} from './spending.ts'
import type {LeasedRow} from './tables.ts'

export interface JournalCopy {
  from: string
  to: string
  payments: number
  historyLines: number
  // The digest that `svc journal verify` tells of both.
  digest: string
}

// A payment that is worked on would go on changing in the old journal.
function rejectHeld(file: string, payments: readonly LeasedRow[]): void {
  const busy = payments.find(({owner}) => owner !== null && !hasEnded(readOwner(owner)))
  if (!busy) return
  throw new SvcError({
    error: 'JOURNAL_BUSY',
    kind: 'pending',
    effect: 'none',
    message: `A process still works on the payment ${busy.key} of ${file}`,
    hint: 'Copy the journal when no svc uses it; nothing was changed',
  })
}

// The copy is verified before it is written: a source that is not intact is refused by what the
// copy shows.
async function copyAll(query: Query, reader: ChainReader, from: string, to: string): Promise<JournalCopy> {
  const [target] = await query<{empty: boolean}>({
    text: `select number = 0 and not exists (select from svc.payments) as empty from svc.chains where chain = ${fileChain} for update`,
  })
  if (!target?.empty)
    throw badUsage(`The journal ${to} is not empty`, 'Copy into an empty journal; nothing was changed')

  const sums = new SpendingSums([], pickDatabaseChain)
  for await (const {payments} of walkStoredPayments(reader)) {
    rejectHeld(from, payments)
    const inserted = payments.map((payment) => ({...payment, epoch: 0, owner: null, renewedAt: null}))
    for (const payment of inserted) sums.change(undefined, payment)
    await storeChanges(query, {inserted})
  }
  for await (const lines of walkEntries(reader)) await storeChanges(query, {lines})
  const heads = await reader.read<ChainHead>(reader.reads.allHeads())
  await storeChanges(query, {sums: sums.listChanged(), heads})

  const copied = await verifyJournal(createChainReader(query))
  const {finding, payments, entries} = copied
  if (finding) {
    throw createNotIntactError(
      `The journal ${from} is not intact: ${finding.message}`,
      'Nothing was copied; see docs/audit.md',
    )
  }
  return {from, to, payments, historyLines: entries, digest: digestChains(copied.heads)}
}

export async function copyJournal(file: string, address: JournalAddress): Promise<JournalCopy> {
  return withJournalDatabase(address, async (database) => {
    await checkVersion(database)
    return withChainReader({text: file}, (reader) => {
      let copied: JournalCopy | undefined
      const copy = async (query: Query) => (copied = await copyAll(query, reader, file, address.text))
      // Whether it was written although its commit was not answered.
      const readOutcome = async (query: Query) => {
        const {heads} = await verifyJournal(createChainReader(query))
        return copied && copied.historyLines > 0 && digestChains(heads) === copied.digest
          ? {written: copied}
          : undefined
      }
      return database.transact(copy, {readOutcome})
    })
  })
}
