// The versions of a journal's policies, and which of them are in force. The first version of a journal is trusted as it is; every
// other one counts only with the signatures of those whom the version before names. A sandbox moves no money, so that the policy of
// each binds that sandbox alone.
import {z} from 'zod'
import {SvcError} from '../errors.ts'
import {nameOperator} from './operator.ts'
import {svc} from '../values/text.ts'
import {isSandboxId} from '../values/urls.ts'
import {type Policy, type PolicyDocument, countForChange, digestPolicy, parsePolicy} from './policy.ts'
import type {RecordedDecision, PolicyEntries} from './decisions.ts'
import {findSigner} from './signers.ts'
import {checkSshSignature} from './ssh-signature.ts'
import {type Statement, approvalNamespace, givenAheadMaxMs, parseStatement} from './statement.ts'

export const policyProposed = 'POLICY_PROPOSED'
export const policyApproved = 'POLICY_APPROVED'

const proposedDetail = z.object({
  kind: z.literal(policyProposed),
  user: z.string(),
  host: z.string(),
  why: z.string().optional(),
  data: z.object({serviceId: z.string(), previous: z.string().optional(), policy: z.unknown()}),
})

const approvedDetail = z.object({
  kind: z.literal(policyApproved),
  data: z.object({statement: z.string(), signature: z.string()}),
})

export interface PolicyVersion extends PolicyDocument {
  digest: string
  // When it was entered, and by whom, as he says himself.
  at: number
  by: string
  why?: string | undefined
  // The names of those who approved it. Empty for a version that needed nobody.
  approvedBy: readonly string[]
  // When it came into force.
  since?: number | undefined
}

// The policies of all services of a journal.
export interface Policies {
  // How many entries they were read from. Every change of a policy adds one.
  mark: number
  inForce: ReadonlyMap<string, PolicyVersion>
  // All that were in force, oldest first, those of all services together.
  past: readonly PolicyVersion[]
  // Those that lack approvals. The one that was proposed last, or proposed again, is the last one.
  // A version that was overtaken by another one is not among them.
  proposed: readonly PolicyVersion[]
  // The policy whose approvers decide about the next version of a service's policy. Undefined if its next version is trusted as it is.
  findJudges: (serviceId: string) => Policy | undefined
}

// The version that people approve: of those that wait, the one that was proposed last.
export const findWaiting = ({proposed}: Policies, serviceId: string): PolicyVersion | undefined =>
  proposed.findLast((version) => version.serviceId === serviceId)

export function requireWaiting(policies: Policies, serviceId: string): PolicyVersion {
  const version = findWaiting(policies, serviceId)
  if (version) return version
  throw new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: 'No version of the policy waits for approvals',
    hint: `Somebody proposes one with ${svc`policy set FILE`}; see ${svc`policy show --history`}`,
  })
}

function readVersion({at, detail}: RecordedDecision): PolicyVersion[] {
  const {data: read} = proposedDetail.safeParse(detail)
  if (!read) return []
  const {why, data} = read
  const document = {...data, policy: parsePolicy(data.policy, 'the journal')}
  return [{...document, digest: digestPolicy(document), at, by: nameOperator(read), why, approvedBy: []}]
}

// The signed texts of the journal.
export function listSignedTexts(entries: readonly RecordedDecision[]) {
  return entries.flatMap(({at, detail}) => {
    const {data: read} = approvedDetail.safeParse(detail)
    return read ? [{at, text: read.data.statement, signature: read.data.signature}] : []
  })
}

// Only what is well signed, and says so of a policy, with the key that signed it.
const listApprovals = (entries: readonly RecordedDecision[]) =>
  listSignedTexts(entries).flatMap(({at, ...signed}) => {
    const statement = parseStatement(signed.text)
    if (statement?.kind !== 'policy') return []
    const publicKey = checkSshSignature(signed, approvalNamespace)?.publicKey
    return publicKey === undefined ? [] : [{at, statement, publicKey}]
  })

type PolicyApproval = ReturnType<typeof listApprovals>[number]

// What the entries have led to, one after the other.
class PolicyFold {
  readonly inForce = new Map<string, PolicyVersion>()
  readonly past: PolicyVersion[] = []
  readonly versions: PolicyVersion[] = []
  readonly #approvals: PolicyApproval[] = []

  addVersion(version: PolicyVersion): void {
    this.versions.push(version)
    const isFirst = this.#findFounder(version.serviceId) === version && version.previous === undefined
    if (isFirst) this.#enter(version, [], version.at)
    else this.#settle(version.at)
  }

  addApproval(approval: PolicyApproval): void {
    this.#approvals.push(approval)
    this.#settle(approval.at)
  }

  #enter(version: PolicyVersion, approvedBy: readonly string[], since: number): void {
    const entered = {...version, approvedBy, since}
    this.inForce.set(version.serviceId, entered)
    this.past.push(entered)
  }

  // A version that comes into force may be what another one waited for.
  #settle(at: number): void {
    for (;;) {
      const next = this.versions.find((version) => {
        const needed = countForChange(this.findJudges(version.serviceId) ?? {})
        return this.isOpen(version) && this.listApprovers(version, at).length >= needed
      })
      if (!next) return
      this.#enter(next, this.listApprovers(next, at), at)
    }
  }

  // Whether it follows the version in force, and is not that itself.
  isOpen({serviceId, previous, digest}: PolicyVersion): boolean {
    const current = this.inForce.get(serviceId)?.digest
    return this.findJudges(serviceId) !== undefined && current === previous && current !== digest
  }

  // The version that the journal began with. Each sandbox begins by itself.
  #findFounder(serviceId: string): PolicyVersion | undefined {
    return this.versions.find((version) =>
      isSandboxId(serviceId) ? version.serviceId === serviceId : !isSandboxId(version.serviceId),
    )
  }

  // Those of its own version in force, else of the one that the journal began with.
  findJudges(serviceId: string): Policy | undefined {
    const founder = this.#findFounder(serviceId)?.serviceId ?? ''
    return (this.inForce.get(serviceId) ?? this.inForce.get(founder))?.policy
  }

  // The people whose approvals of a version are valid at a time.
  listApprovers({serviceId, digest}: PolicyVersion, at: number): string[] {
    const approvers = this.findJudges(serviceId)?.approvers ?? []
    const given = new Map<string, Statement>()
    for (const {at: enteredAt, statement, publicKey} of this.#approvals) {
      const person = findSigner(approvers, publicKey)
      if (person === undefined || statement.serviceId !== serviceId || statement.digest !== digest) continue
      if (statement.action === 'withdrawal') given.delete(person)
      else if (statement.givenAt <= enteredAt + givenAheadMaxMs) given.set(person, statement)
    }
    const valid = [...given].filter(([, {expiresAt = 0}]) => expiresAt > at)
    return valid.map(([person]) => person).toSorted()
  }
}

// The version in force of each service follows from the entries alone, in the order of their times.
export function readPolicies(
  {versions: entries, approvals: approvalEntries}: PolicyEntries,
  nowMs = Date.now(),
): Policies {
  const fold = new PolicyFold()
  const events = [
    ...entries.flatMap(readVersion).map((version) => ({at: version.at, add: () => fold.addVersion(version)})),
    ...listApprovals(approvalEntries).map((approval) => ({at: approval.at, add: () => fold.addApproval(approval)})),
  ]
  for (const {add} of events.toSorted((one, other) => one.at - other.at)) add()
  const {inForce, past, versions} = fold
  const proposed = versions.filter(
    (version, index) =>
      fold.isOpen(version) &&
      !past.some(({digest}) => digest === version.digest) &&
      !versions.slice(index + 1).some(({digest}) => digest === version.digest),
  )
  return {
    mark: entries.length + approvalEntries.length,
    inForce,
    past,
    proposed: proposed.map((version) => ({...version, approvedBy: fold.listApprovers(version, nowMs)})),
    findJudges: (serviceId) => fold.findJudges(serviceId),
  }
}
