// Lets people approve a version of the policy: the one that waits in the journal, or one in a file.
import type {Approvable} from '../../controls/approvable.ts'
import type {ApprovalStore, StoredApproval} from '../../controls/approval-store.ts'
import {findWaiting} from '../../controls/policies.ts'
import {type PolicyDocument, comparePolicies, describePolicy, digestPolicy} from '../../controls/policy.ts'
import {createField, listFields} from '../../controls/fields.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {SvcError} from '../../errors.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {policyApprovalSubject} from '../journal/journal.ts'
import {withJournal} from '../journal/open-journal.ts'
import {loadPolicies, readJournalPolicies} from './read-policies.ts'
import {
  type PolicyOrigin,
  addPolicyApproval,
  buildDocument,
  notifyPolicy,
  readPolicyFile,
  readPolicyState,
} from './enter-policy.ts'

const noProposal = () =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: 'No version of the policy waits for approvals',
    hint: 'Somebody proposes one with `svc policy set FILE`; see `svc policy show --history`',
  })

const cannotCompare = 'no: the version that it follows is not in the journal of this machine'

// `file` is undefined for the version that waits in the journal.
export async function readApprovablePolicy({serviceId, journal}: ServiceTraits, file?: string): Promise<Approvable> {
  const {policies} = await readJournalPolicies(journal)
  const inForce = policies.inForce.get(serviceId)?.policy
  const read = file === undefined ? undefined : await readPolicyFile(file, serviceId)
  // Away from the journal, only the file says which version it follows.
  const document: PolicyDocument | undefined =
    read &&
    (policies.findJudges(serviceId) === undefined
      ? {serviceId, ...read}
      : buildDocument(policies, {serviceId, ...read}))
  const version = document ?? findWaiting(policies, serviceId)
  if (!version) throw noProposal()
  const {policy, previous} = version
  const fields = [
    ...describePolicy(policy).map(({label, lines}) => createField(label, lines, (shown) => shown.join('; '))),
    createField('Follows', previous === undefined ? 'nothing' : `sha256:${previous}`),
  ]
  return {
    subject: {kind: 'policy', serviceId, digest: digestPolicy(version)},
    name: file ?? 'the policy',
    file,
    facts: [{label: 'Compared', lines: inForce || !previous ? comparePolicies(inForce, policy) : [cannotCompare]}],
    content: {fields: listFields(fields)},
  }
}

// The approvals of a version that are in the journal.
export const withPolicyStore = <T>(
  address: JournalAddress,
  subject: ApprovalSubject,
  work: (store: ApprovalStore) => Promise<T>,
): Promise<T> =>
  withJournal(address, (journal) =>
    work({
      place: 'the journal',
      async list() {
        const {serviceId, key} = policyApprovalSubject
        const entries = await journal.history(serviceId, key)
        return entries.flatMap(({detail}, index): StoredApproval[] => {
          const data = detail?.['data'] as {digest?: string; statement?: string; signature?: string} | undefined
          if (data?.digest !== subject.digest) return []
          return [{id: `approval ${index + 1}`, text: data.statement ?? '', signature: data.signature ?? ''}]
        })
      },
      add: (signed) => addPolicyApproval(journal, subject, signed),
    }),
  )

// Says whether a version came into force, and tells whoever is told.
export async function announcePolicy(origin: PolicyOrigin, subject: ApprovalSubject): Promise<void> {
  const {traits, notice} = origin
  const entered = await withJournal(traits.journal, async (journal) =>
    readPolicyState(await loadPolicies(journal), subject, true),
  )
  const {state, needed, version} = entered
  notice(
    state === 'IN_FORCE'
      ? 'The policy is in force now.'
      : `The policy needs ${needed} approvals and has ${version.approvedBy.length}; the one before binds until then.`,
  )
  await notifyPolicy(origin, entered, [])
}
