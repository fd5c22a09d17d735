// Makes sure that what pays again and again, such as rules, was approved where the profile wants it, and records who did.
import path from 'node:path'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {SvcError} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {getCoolDownRules} from './approve-plan.ts'
import {findHeldPayees} from './cool-down.ts'
import type {Journal} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {recordApprovals} from './record-approvals.ts'
import {requireApproval} from './require-approval.ts'

export interface FileOfRules {
  caller: Caller
  traits: ServiceTraits
  subject: ApprovalSubject
  // The path, or - for standard input.
  file: string
  // The accounts that it pays to.
  destinations: readonly string[]
}

const newPayee = (destination: string, file: string) =>
  new SvcError({
    error: 'PAYEE_WAITS',
    kind: 'limit',
    message: `${file} pays the account ${destination}, which was never paid before and has to wait`,
    hint: 'Have it approved with `svc approve FILE` by somebody who may, or pay the account once with `svc pay`; nothing was sent',
  })

async function withJournal<T>({journal: address}: ServiceTraits, work: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await openJournal(address)
  try {
    const result = await work(journal)
    await journal.flush()
    return result
  } finally {
    await journal.close()
  }
}

// Throws with code 10 unless enough people have approved it. Returns what records whose approvals were used, to be called when it
// is certain that something will be sent.
export async function requireRulesApproval(rules: FileOfRules): Promise<() => Promise<void>> {
  const {caller, traits, subject, file, destinations} = rules
  const approval = await requireApproval({caller, journal: traits.journal, subject, file})
  const coolDown = getCoolDownRules(caller, approval)
  if (coolDown.coolDownMs > 0) {
    const clock = {earliest: () => Date.now()}
    const [held] = await withJournal(traits, (journal) =>
      findHeldPayees({journal, clock}, traits.serviceId, destinations, coolDown),
    )
    if (held) throw newPayee(held.destination, file)
  }
  return async () => {
    if (approval.approvals.length === 0) return
    const about = {file: path.basename(file)}
    await withJournal(traits, (journal) => recordApprovals(journal, approval, {about, subject}))
  }
}
