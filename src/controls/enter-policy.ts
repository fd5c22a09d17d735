// Enters a version of a service's policy into the journal, and the approvals of those who may change it.
import {z} from 'zod'
import {badUsage} from '../errors.ts'
import {describeOperator} from './operator.ts'
import {countNoun, svc} from '../values/text.ts'
import {type Approvable, createField} from './approvable.ts'
import type {ApprovalStore} from './approval-store.ts'
import {createRefusal} from './limits.ts'
import {
  type Policies,
  type PolicyVersion,
  findWaiting,
  listSignedTexts,
  policyApproved,
  policyProposed,
  readPolicies,
  requireWaiting,
} from './policies.ts'
import {
  type Policy,
  type PolicyDocument,
  comparePolicies,
  countForChange,
  describePolicy,
  digestPolicy,
  parsePolicy,
} from './policy.ts'
import {type DecisionJournal, policyApprovalSubject, policySubject, readPolicyEntries} from './decisions.ts'
import {type SignedText, checkSshSignature} from './ssh-signature.ts'
import {type ApprovalSubject, approvalNamespace, parseStatement, toCanonicalText} from './statement.ts'

export interface PolicyProposal {
  policy: Policy
  // The digest of the version that it follows, where it is written down.
  previous?: string | undefined
  why?: string | undefined
  // Approvals that were given elsewhere, such as beside the file.
  approvals?: readonly SignedText[] | undefined
}

// What `svc policy show --proposed` prints, as far as it is read again.
const printedPolicy = z.object({
  service: z.string().optional(),
  previous: z
    .string()
    .transform((digest) => digest.replace(/^sha256:/, ''))
    .optional(),
  policy: z.record(z.string(), z.unknown()),
})

// A file has the policy itself, or what `svc policy show --proposed` printed, which says which version it follows.
export function parsePolicyFile(value: unknown, file: string, serviceId: string): PolicyProposal {
  const {data: printed} = printedPolicy.safeParse(value)
  if (!printed) return {policy: parsePolicy(value, file)}
  const {service, previous, policy} = printed
  if (service === undefined || service === serviceId) return {policy: parsePolicy(policy, file), previous}
  throw badUsage(
    `The policy of ${file} is for the service ${service}, and this profile belongs to ${serviceId}`,
    'Name the profile of that service with -p; nothing was changed',
  )
}

export const loadPolicies = async (journal: Pick<DecisionJournal, 'history'>): Promise<Policies> =>
  readPolicies(await readPolicyEntries(journal))

export interface EnteredPolicy {
  version: PolicyVersion
  state: 'IN_FORCE' | 'PROPOSED'
  needed: number
  // Those who may approve it, and have not.
  missing: string[]
}

const createOvertakenError = () =>
  badUsage(
    'This version of the policy does not follow the one that is in force',
    `See ${svc`policy show --history`}, and propose it anew with ${svc`policy set FILE`}; nothing was changed`,
  )

// What is known about one version by now.
export function readPolicyState(
  policies: Policies,
  {serviceId, digest}: Pick<PolicyVersion, 'serviceId' | 'digest'>,
): EnteredPolicy {
  const inForce = policies.inForce.get(serviceId)
  if (inForce?.digest === digest) return {version: inForce, state: 'IN_FORCE', needed: 0, missing: []}
  const version = policies.proposed.find((proposed) => proposed.digest === digest)
  if (!version) throw createOvertakenError()
  const judges = policies.findJudges(serviceId) ?? {}
  const missing = (judges.approvers ?? []).map(({name}) => name).filter((name) => !version.approvedBy.includes(name))
  return {version, state: 'PROPOSED', needed: countForChange(judges), missing}
}

// The document that follows the version in force. A file may say itself which one it follows.
function buildDocument(policies: Policies, serviceId: string, {policy, previous}: PolicyProposal): PolicyDocument {
  const current = policies.inForce.get(serviceId)?.digest
  const isCurrent = previous === undefined || previous === current
  if (!isCurrent && digestPolicy({serviceId, previous, policy}) !== current) throw createOvertakenError()
  return {serviceId, previous: current, policy}
}

// Proposes a version, unless it is in force or the one that waits already, and adds the approvals that are not in the journal yet.
// One that was proposed before another one is proposed again, so that the last one named is the one that people approve.
export async function enterPolicy(
  journal: DecisionJournal,
  before: Policies,
  serviceId: string,
  proposal: PolicyProposal,
): Promise<EnteredPolicy & {isNew: boolean}> {
  const {policy, why, approvals = []} = proposal
  const inForce = before.inForce.get(serviceId)
  if (inForce && toCanonicalText(inForce.policy) === toCanonicalText(policy)) {
    return {...readPolicyState(before, inForce), isNew: false}
  }
  const document = buildDocument(before, serviceId, proposal)
  const digest = digestPolicy(document)
  const isNew = findWaiting(before, serviceId)?.digest !== digest
  if (isNew) {
    const role = await journal.readRole?.()
    if (role?.isOwner === false) {
      throw badUsage(
        `The role ${role.name} cannot change the policy of this journal: only its owner can`,
        `Run it with the role of ${svc`journal init`}; nothing was changed`,
      )
    }
    const data = {...document, digest}
    await journal.recordDecision({kind: policyProposed, about: policySubject, who: describeOperator(), why, data})
  }
  const store = createPolicyStore({kind: 'policy', serviceId, digest}, (work) => work(journal))
  for (const approval of approvals) await store.add(approval)
  return {...readPolicyState(await loadPolicies(journal), {serviceId, digest}), isNew}
}

// The approvals of one version that are in the journal. Only what is signed well and about this version is added, and only once.
export function createPolicyStore(
  {serviceId, digest}: ApprovalSubject,
  withJournal: <T>(work: (journal: DecisionJournal) => Promise<T>) => Promise<T>,
): ApprovalStore {
  const isAbout = ({text}: SignedText) => {
    const statement = parseStatement(text)
    return statement?.kind === 'policy' && statement.serviceId === serviceId && statement.digest === digest
  }
  const list = async (journal: DecisionJournal) =>
    listSignedTexts((await readPolicyEntries(journal)).approvals).filter(isAbout)
  return {
    place: 'the journal',
    list: () =>
      withJournal(async (journal) =>
        (await list(journal)).map((signed, index) => ({id: `approval ${index + 1}`, ...signed})),
      ),
    add: (signed) =>
      withJournal(async (journal) => {
        if (!isAbout(signed) || !checkSshSignature(signed, approvalNamespace)) return
        if ((await list(journal)).some(({signature}) => signature === signed.signature)) return
        const data = {serviceId, digest, statement: signed.text, signature: signed.signature}
        await journal.recordDecision({
          kind: policyApproved,
          about: policyApprovalSubject,
          who: describeOperator(),
          data,
        })
      }),
  }
}

export const createProposedError = ({needed, missing, version}: EnteredPolicy, command: string) =>
  createRefusal(
    'POLICY_PROPOSED',
    `The policy is proposed, and not in force: it needs ${countNoun(needed, 'approval')} and has ${version.approvedBy.length}; ${missing.join(', ')} may approve it`,
    `They approve it with \`${command}\`; until then the one before binds`,
  )

// What people see of a version before they approve it: the one that waits in the journal, or the one of a file.
export function describePolicyVersion(
  policies: Policies,
  serviceId: string,
  given?: {file: string; proposal: PolicyProposal},
): Approvable {
  const version = given ? buildGivenDocument(policies, serviceId, given.proposal) : requireWaiting(policies, serviceId)
  const inForce = policies.inForce.get(serviceId)?.policy
  const {policy, previous} = version
  const changes =
    inForce || previous === undefined
      ? comparePolicies(inForce, policy)
      : ['no: the version that it follows is not in the journal of this machine']
  return {
    subject: {kind: 'policy', serviceId, digest: digestPolicy(version)},
    name: given?.file ?? 'the policy',
    file: given?.file,
    facts: [{label: 'Compared', lines: changes}],
    content: {
      fields: [
        ...describePolicy(policy).map(({label, lines}) => createField(label, lines, (shown) => shown.join('; '))),
        createField('Follows', previous === undefined ? 'nothing' : `sha256:${previous}`),
      ],
    },
  }
}

// Away from the journal, only the file says which version it follows.
const buildGivenDocument = (policies: Policies, serviceId: string, proposal: PolicyProposal): PolicyDocument =>
  policies.findJudges(serviceId)
    ? buildDocument(policies, serviceId, proposal)
    : {serviceId, previous: proposal.previous, policy: proposal.policy}
