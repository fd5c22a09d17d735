// Enters versions of the policy that binds the payments of a journal, and notifies of them.
import {readDataFile} from '../../cli/body/input-file.ts'
import type {ApprovalStore} from '../../controls/approval-store.ts'
import {describeApproveCommand} from '../../controls/approvals.ts'
import {
  type EnteredPolicy,
  type PolicyProposal,
  createPolicyStore,
  createProposedError,
  enterPolicy,
  loadPolicies,
  parsePolicyFile,
  readPolicyState,
} from '../../controls/enter-policy.ts'
import {type Policies, readPolicies} from '../../controls/policies.ts'
import {type Policy, comparePolicies, readPolicyNumber} from '../../controls/policy.ts'
import {type DecisionJournal, type JournalRole, noPolicyEntries} from '../../controls/decisions.ts'
import {type ApprovalSubject, toCanonicalText} from '../../controls/statement.ts'
import type {SvcError} from '../../errors.ts'
import type {Profile} from '../../profiles/settings.frozen.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {describeOperator} from '../../controls/operator.ts'
import {readJournal} from '../journal/walk.ts'
import {withJournal} from '../journal/open-journal.ts'
import {type NotifierSettings, openRunNotifier} from './notify-payments.ts'

export interface JournalPolicies {
  policies: Policies
  role?: JournalRole | undefined
}

export const readJournalPolicies = (journal: JournalAddress): Promise<JournalPolicies> => {
  const read = async (source: DecisionJournal) => ({
    policies: await loadPolicies(source),
    role: await source.readRole?.(),
  })
  return readJournal<JournalPolicies>({policies: readPolicies(noPolicyEntries)}, read, {journal})
}

export const readPolicyFile = async (file: string, serviceId: string): Promise<PolicyProposal> =>
  parsePolicyFile(await readDataFile(file, {readNumber: readPolicyNumber}), file, serviceId)

// The approvals of a version in the journal.
export const openPolicyStore = (address: JournalAddress, subject: ApprovalSubject): ApprovalStore =>
  createPolicyStore(subject, (work) => withJournal(address, work))

async function notifyPolicy(origin: NotifierSettings, entered: EnteredPolicy, changes: string[]): Promise<void> {
  const {version, state} = entered
  const notifier = await openRunNotifier(origin)
  notifier?.add({
    event: 'policy.changed',
    facts: [version.digest, state],
    detail: {digest: version.digest, state, by: version.by, changes},
  })
}

const firstNotice =
  'This is the first policy of the journal: it is trusted as it is. Every later one needs the signatures that this one asks for.'

// Enters a version of the policy. `failure` is set if the version is not in force yet.
export function proposePolicy(
  origin: NotifierSettings,
  proposal: PolicyProposal,
): Promise<{before?: Policy | undefined; entered: EnteredPolicy; failure?: SvcError | undefined}> {
  const {caller, traits, notice} = origin
  const {serviceId} = traits
  return withJournal(traits.journal, async (journal) => {
    const policies = await loadPolicies(journal)
    const before = policies.inForce.get(serviceId)?.policy
    const entered = await enterPolicy(journal, policies, serviceId, proposal)

    if (!policies.findJudges(serviceId)) notice(firstNotice)
    if (entered.isNew) await notifyPolicy(origin, entered, comparePolicies(before, proposal.policy))

    const command = describeApproveCommand(undefined, caller.profileName)
    return {before, entered, ...(entered.state === 'PROPOSED' && {failure: createProposedError(entered, command)})}
  })
}

// Says whether a version that was approved came into force.
export async function announcePolicy(origin: NotifierSettings, subject: ApprovalSubject): Promise<void> {
  const {policies} = await readJournalPolicies(origin.traits.journal)
  const entered = readPolicyState(policies, subject)
  const {state, needed, version} = entered
  origin.notice(
    state === 'IN_FORCE'
      ? 'The policy is in force now.'
      : `The policy needs ${needed} approvals and has ${version.approvedBy.length}; the one before binds until then.`,
  )
  await notifyPolicy(origin, entered, [])
}

// Records that the limits of a profile changed.
export async function recordLimits(
  {serviceId: service, journal: address}: ServiceTraits,
  {profile, before, after, why}: {profile: string; before: Profile; after: Profile; why: string | undefined},
): Promise<void> {
  const listLimits = ({limits, readOnly = false}: Profile) => ({...limits, readOnly})
  const data = {before: listLimits(before), after: listLimits(after)}
  if (toCanonicalText(data.before) === toCanonicalText(data.after)) return
  const about = {profile, service}
  await withJournal(address, (journal) =>
    journal.recordDecision({kind: 'LIMITS_CHANGED', about, who: describeOperator(), why, data}),
  )
}
