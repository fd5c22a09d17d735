// Copies a journal from an SQLite file to an empty one in a PostgreSQL database, all or nothing. Every line of the history keeps its
// place in the chain and its hash, so that a head that was signed before the copy still holds, and the chain proves the copy.
import {SvcError, badUsage} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import type {Query} from '../../storage/postgres/database.ts'
import {digestChains} from '../audit/head.ts'
import {notIntact, verifyJournal} from '../audit/verify-journal.ts'
import {type ChainHead, type ChainReader, fileChain, walkEntries, walkStoredPayments} from './chain.ts'
import {withChainReader} from './open-journal.ts'
import {hasEnded, readOwner} from './owner.ts'
import {checkVersion, withJournalDatabase} from './postgres/open-postgres-journal.ts'
import {type StoredChanges, storeChanges} from './postgres/postgres-journal.ts'
import {hasJournalFile, openJournalFile} from './sqlite/file.ts'

export interface JournalCopy {
  from: string
  to: string
  payments: number
  historyLines: number
  // What `svc journal verify` says of both.
  digest: string
}

// A payment that is worked on would go on changing in the old journal.
function rejectHeld(file: string): void {
  const source = openJournalFile(file)
  const held = source.all<{key: string; owner: string}>('select key, owner from payments where owner is not null')
  source.close()
  const busy = held.find(({owner}) => !hasEnded(readOwner(owner)))
  if (!busy) return
  throw new SvcError({
    error: 'JOURNAL_BUSY',
    kind: 'pending',
    effect: 'none',
    message: `A process still works on the payment ${busy.key} of ${file}`,
    hint: 'Copy the journal when no svc uses it; nothing was changed',
  })
}

async function verify(address: JournalAddress, hint: string) {
  const {finding, ...verified} = await withChainReader(address, (reader) => verifyJournal(reader))
  if (finding) throw notIntact(`The journal ${address.text} is not intact: ${finding.message}`, hint)
  return verified
}

const fileHead = `select hash, number = 0 and not exists (select from svc.payments) as empty from svc.chains where chain = ${fileChain}`

async function copyAll(query: Query, reader: ChainReader, head: ChainHead, to: string): Promise<void> {
  const [target] = await query<{empty: boolean}>({text: `${fileHead} for update`})
  if (!target?.empty)
    throw badUsage(`The journal ${to} is not empty`, 'Copy into an empty journal; nothing was changed')
  const store = (changes: Partial<StoredChanges>) =>
    storeChanges(query, 'copied', {inserted: [], changed: [], lines: [], heads: [], ...changes})
  for await (const {payments} of walkStoredPayments(reader)) {
    await store({inserted: payments.map((payment) => ({...payment, epoch: 0, owner: null, renewedAt: null}))})
  }
  for await (const lines of walkEntries(reader)) await store({lines})
  await store({heads: [head]})
}

export async function copyJournal(file: string, address: JournalAddress): Promise<JournalCopy> {
  if (!hasJournalFile(file)) throw badUsage(`There is no journal ${file}`, 'Name the file of a journal with --from')
  const {heads, payments, entries} = await verify({text: file}, 'Nothing was copied; see docs/audit.md')
  const [head] = heads
  if (!head) throw new Error('a journal in a file has one chain')
  rejectHeld(file)
  const copy = (query: Query) => withChainReader({text: file}, (reader) => copyAll(query, reader, head, address.text))
  const readOutcome = async (query: Query) => {
    const [target] = await query<{hash: string}>({text: `${fileHead} for update`})
    return target?.hash === head.hash && entries > 0 ? {written: undefined} : undefined
  }
  await withJournalDatabase(address, async (database) => {
    await checkVersion(database)
    await database.transact(copy, {readOutcome})
  })
  const copied = await verify(address, 'Copy into an empty journal')
  if (copied.heads.find(({chain}) => chain === fileChain)?.hash !== head.hash || copied.payments < payments)
    throw notIntact(
      `The journal ${address.text} is no copy of ${file}`,
      'Copy into an empty journal, while no svc uses the file',
    )
  return {from: file, to: address.text, payments, historyLines: entries, digest: digestChains(heads)}
}
