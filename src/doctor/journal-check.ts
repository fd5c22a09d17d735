// Checks the journal of a profile if it is in a database: whether it is reached, and has the schema of this svc.
import {openJournal} from '../payments/journal/open-journal.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {isDatabase} from '../storage/journal-address.ts'
import {requireCaller} from './local-checks.ts'
import {type CheckContext, type CheckResult, ok} from './run-checks.ts'

// A file is created when the first payment needs it, so there is nothing to check.
export async function checkJournal(context: CheckContext): Promise<CheckResult | undefined> {
  const address = getJournalAddress(requireCaller(context))
  if (!isDatabase(address)) return undefined
  const journal = await openJournal(address, {isOnlyRead: true})
  await journal.close()
  return ok(address.text)
}
