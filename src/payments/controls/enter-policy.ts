// Reads a version of a service's policy from a file, and enters it into the journal with the approvals of those who may change it.
import {readDataFile} from '../../cli/body/input-file.ts'
import {type StoredApproval, getApprovalFolder, openFileStore} from '../../controls/approval-store.ts'
import {
  type Policies,
  type PolicyVersion,
  findWaiting,
  policyApproved,
  policyProposed,
} from '../../controls/policies.ts'
import {
  type Policy,
  type PolicyDocument,
  comparePolicies,
  countForChange,
  digestPolicy,
  parsePolicy,
  readPolicyNumber,
} from '../../controls/policy.ts'
import {approvalNamespace, parseStatement, toCanonicalText} from '../../controls/statement.ts'
import {toJudges} from '../../controls/signers.ts'
import {type SignedText, checkSshSignature} from '../../controls/ssh-signature.ts'
import {SvcError, badUsage} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {Profile} from '../../profiles/profiles.ts'
import {describeOperator} from '../../values/operator.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {isRecord, readText} from '../../values/records.ts'
import {type Journal, policyApprovalSubject, policySubject} from '../journal/journal.ts'
import {withJournal} from '../journal/open-journal.ts'
import {openRunNotifier} from '../pay/notify-payments.ts'
import {loadPolicies} from './read-policies.ts'
import {describeApprovePolicy} from './require-approval.ts'

// A policy as a file has it: the policy itself, or what `svc policy show --proposed` printed, which says which version it follows.
interface PolicyFile {
  policy: Policy
  previous?: string | undefined
}

const toDigest = (value: unknown) => readText(value).replace(/^sha256:/, '') || undefined

export async function readPolicyFile(file: string, serviceId: string): Promise<PolicyFile> {
  const value = await readDataFile(file, {readNumber: readPolicyNumber})
  if (!isRecord(value) || !isRecord(value['policy'])) return {policy: parsePolicy(value, file)}
  const {service, previous, policy} = value
  if (service !== undefined && service !== serviceId) {
    throw badUsage(
      `The policy of ${file} is for the service ${readText(service)}, and this profile belongs to ${serviceId}`,
      'Name the profile of that service with -p; nothing was changed',
    )
  }
  return {policy: parsePolicy(policy, file), previous: toDigest(previous)}
}

// With the approvals that lie beside the file, where those who approve have no access to the journal.
export async function readProposal(file: string, serviceId: string): Promise<PolicyProposal> {
  const read = await readPolicyFile(file, serviceId)
  const approvals = file === '-' ? [] : await openFileStore(getApprovalFolder(file)).list()
  return {serviceId, ...read, approvals}
}

type PolicyState = 'IN_FORCE' | 'PROPOSED'

export interface EnteredPolicy {
  version: PolicyVersion
  state: PolicyState
  // Whether this changed anything.
  isNew: boolean
  needed: number
  // Those who may approve it, and have not.
  missing: string[]
}

// What is known about one version by now.
export function readPolicyState(
  policies: Policies,
  {serviceId, digest}: Pick<PolicyVersion, 'serviceId' | 'digest'>,
  isNew: boolean,
): EnteredPolicy {
  const inForce = policies.inForce.get(serviceId)
  if (inForce?.digest === digest) return {version: inForce, state: 'IN_FORCE', isNew, needed: 0, missing: []}
  const version = policies.proposed.find((proposed) => proposed.digest === digest)
  if (!version) throw overtaken()
  const judges = policies.findJudges(serviceId) ?? {}
  const missing = toJudges(judges.approvers).people.filter((person) => !version.approvedBy.includes(person))
  return {version, state: 'PROPOSED', isNew, needed: countForChange(judges), missing}
}

const overtaken = () =>
  badUsage(
    'This version of the policy does not follow the one that is in force',
    'See `svc policy show --history`, and propose it anew with `svc policy set FILE`; nothing was changed',
  )

// The document that follows the version in force. A file may say itself which one it follows.
export function buildDocument(
  policies: Policies,
  {serviceId, policy, previous}: {serviceId: string; policy: Policy; previous?: string | undefined},
): PolicyDocument {
  const inForce = policies.inForce.get(serviceId)
  if (
    previous !== undefined &&
    previous !== inForce?.digest &&
    digestPolicy({serviceId, previous, policy}) !== inForce?.digest
  )
    throw overtaken()
  return {serviceId, ...(inForce && {previous: inForce.digest}), policy}
}

const notOwner = (role: string) =>
  badUsage(
    `The role ${role} cannot change the policy of this journal: only its owner can`,
    'Run it with the role of `svc journal init`; nothing was changed',
  )

const isSamePolicy = (one: Policy, other: Policy) => toCanonicalText(one) === toCanonicalText(other)

interface PolicyProposal {
  serviceId: string
  policy: Policy
  // The digest of the version that it follows, where it is written down.
  previous?: string | undefined
  why?: string | undefined
  // Approvals that were given elsewhere, such as beside the file.
  approvals?: readonly StoredApproval[] | undefined
}

// Proposes a version, unless it is in force or the one that waits already, and adds the approvals that are not in the journal yet.
// One that was proposed before another one is proposed again, so that the last one named is the one that people approve.
async function enterPolicy(journal: Journal, proposal: PolicyProposal): Promise<EnteredPolicy> {
  const before = await loadPolicies(journal)
  const {serviceId, policy, why, approvals = []} = proposal
  const inForce = before.inForce.get(serviceId)
  if (inForce && isSamePolicy(inForce.policy, policy)) return readPolicyState(before, inForce, false)
  const document = buildDocument(before, proposal)
  const digest = digestPolicy(document)
  const isNew = findWaiting(before, serviceId)?.digest !== digest
  if (isNew) {
    const role = await journal.readRole?.()
    if (role?.isOwner === false) throw notOwner(role.name)
    await journal.recordDecision({
      kind: policyProposed,
      about: policySubject,
      who: describeOperator(),
      why,
      data: {serviceId, previous: document.previous, digest, policy},
    })
  }
  for (const approval of approvals) await addPolicyApproval(journal, {serviceId, digest}, approval)
  await journal.flush()
  const after = await loadPolicies(journal)
  return readPolicyState(after, {serviceId, digest}, isNew)
}

// An approval or a withdrawal, which is kept if it is signed well and about this version.
export async function addPolicyApproval(
  journal: Journal,
  {serviceId, digest}: Pick<PolicyVersion, 'serviceId' | 'digest'>,
  {text, signature}: SignedText,
): Promise<void> {
  const statement = parseStatement(text)
  if (statement?.kind !== 'policy' || statement.serviceId !== serviceId || statement.digest !== digest) return
  if (!checkSshSignature({text, signature}, approvalNamespace)) return
  const {serviceId: service, key} = policyApprovalSubject
  const known = await journal.history(service, key)
  if (known.some(({detail}) => (detail?.['data'] as SignedText | undefined)?.signature === signature)) return
  await journal.recordDecision({
    kind: policyApproved,
    about: policyApprovalSubject,
    who: describeOperator(),
    data: {serviceId, digest, action: statement.action, statement: text, signature},
  })
}

const createProposedError = ({needed, missing, version}: EnteredPolicy, command: string) =>
  new SvcError({
    error: 'POLICY_PROPOSED',
    kind: 'limit',
    message: `The policy is proposed, and not in force: it needs ${needed} ${needed === 1 ? 'approval' : 'approvals'} and has ${version.approvedBy.length}; ${missing.join(', ')} may approve it`,
    hint: `They approve it with \`${command}\`; until then the one before binds`,
  })

export interface PolicyOrigin {
  caller: Caller
  traits: ServiceTraits
  notice: (text: string) => void
}

// Tells whoever is told what needs a person.
export async function notifyPolicy(origin: PolicyOrigin, entered: EnteredPolicy, changes: string[]): Promise<void> {
  if (!entered.isNew) return
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

// Proposes what `change` makes of the policy in force. `failure` is the error of one that is not in force yet.
export function proposePolicy(
  origin: PolicyOrigin,
  change: (inForce: Policy) => Omit<PolicyProposal, 'serviceId'>,
): Promise<{before?: Policy | undefined; entered: EnteredPolicy; failure?: SvcError | undefined}> {
  const {caller, traits, notice} = origin
  const {serviceId} = traits
  return withJournal(traits.journal, async (journal) => {
    const policies = await loadPolicies(journal)
    const before = policies.inForce.get(serviceId)?.policy
    const proposal = change(before ?? {})
    const entered = await enterPolicy(journal, {serviceId, ...proposal})
    if (!policies.findJudges(serviceId)) notice(firstNotice)
    await notifyPolicy(origin, entered, comparePolicies(before, proposal.policy))
    const isProposed = entered.state === 'PROPOSED'
    return {
      before,
      entered,
      failure: isProposed ? createProposedError(entered, describeApprovePolicy(caller)) : undefined,
    }
  })
}

interface LimitsChange {
  profile: string
  before: Profile
  after: Profile
  why: string | undefined
}

const listLimits = ({limits, readOnly}: Profile) => ({...limits, readOnly: readOnly ?? false})

// Records that the limits of a profile changed. A profile that never had any, and a journal that does not exist, need no record.
export async function recordLimits(
  {serviceId, journal: address}: ServiceTraits,
  {profile, before, after, why}: LimitsChange,
): Promise<void> {
  const data = {before: listLimits(before), after: listLimits(after)}
  if (toCanonicalText(data.before) === toCanonicalText(data.after)) return
  await withJournal(address, (journal) =>
    journal.recordDecision({
      kind: 'LIMITS_CHANGED',
      about: {profile, service: serviceId},
      who: describeOperator(),
      why,
      data,
    }),
  )
}
