// Records in the journal that somebody withdrew an approval.
import type {Statement} from '../../controls/statement.ts'
import {describeOperator} from '../../profiles/operator.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {openJournal} from '../journal/open-journal.ts'
import {hasJournalFile} from '../journal/sqlite/file.ts'

// Somebody who only approves has no journal, and gets none.
export async function recordWithdrawal(
  address: JournalAddress,
  {statement, name, signer}: {statement: Statement; name: string; signer: string | undefined},
): Promise<void> {
  if (!isDatabase(address) && !hasJournalFile(address.text)) return
  const journal = await openJournal(address)
  try {
    await journal.recordDecision({
      kind: 'APPROVAL_WITHDRAWN',
      about: {file: name},
      who: {...describeOperator(), signer},
      data: {kind: statement.kind, digest: statement.digest},
    })
    await journal.flush()
  } finally {
    await journal.close()
  }
}
