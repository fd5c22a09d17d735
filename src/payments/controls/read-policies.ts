// Reads the policies of a journal, and how its database knows this process. Reading creates no journal.
import type {Policies, PolicyEntries} from '../../controls/policies.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {type Journal, type JournalRole, policyApprovalSubject, policySubject} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {hasJournalFile} from '../journal/sqlite/file.ts'

export interface JournalPolicies {
  entries: PolicyEntries
  role?: JournalRole | undefined
}

export type PolicyJournal = Pick<Journal, 'history' | 'readRole'>

async function readPolicyEntries(journal: PolicyJournal): Promise<PolicyEntries> {
  const read = ({serviceId, key}: {serviceId: string; key: string}) => journal.history(serviceId, key)
  return {versions: await read(policySubject), approvals: await read(policyApprovalSubject)}
}

export const readPoliciesFrom = async (journal: PolicyJournal): Promise<JournalPolicies> => ({
  entries: await readPolicyEntries(journal),
  role: await journal.readRole?.(),
})

export async function readPoliciesAt(address: JournalAddress): Promise<JournalPolicies> {
  if (!isDatabase(address) && !hasJournalFile(address.text)) return {entries: {versions: [], approvals: []}}
  const journal = await openJournal(address)
  try {
    return await readPoliciesFrom(journal)
  } finally {
    await journal.close()
  }
}

// Most journals have none, and need nothing of what reads them.
export async function loadPolicies(journal: PolicyJournal): Promise<Policies> {
  const {readPolicies} = await import('../../controls/policies.ts')
  return readPolicies(await readPolicyEntries(journal))
}

export async function readJournalPolicies(
  address: JournalAddress,
): Promise<{policies: Policies; role?: JournalRole | undefined}> {
  const [{entries, role}, {readPolicies}] = await Promise.all([
    readPoliciesAt(address),
    import('../../controls/policies.ts'),
  ])
  return {policies: readPolicies(entries), role}
}
