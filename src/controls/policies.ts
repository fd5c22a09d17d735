// The versions of a journal's policies, and which of them are in force. The first version of a journal is trusted as it is; every
// other one counts only with the signatures of those whom the version before names.
import {type Policy, type PolicyDocument, countForChange, digestPolicy, parsePolicy, toJudges} from './policy.ts'
import {checkSshSignature} from './ssh-signature.ts'
import {type Statement, approvalNamespace, parseStatement} from './statement.ts'

export const policyProposed = 'POLICY_PROPOSED'
export const policyApproved = 'POLICY_APPROVED'

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

interface PolicyEntry {
  at: number
  detail?: Readonly<Record<string, unknown>> | undefined
}

export interface PolicyEntries {
  versions: readonly PolicyEntry[]
  approvals: readonly PolicyEntry[]
}

// The policies of all services of a journal.
export interface Policies {
  // How many entries they were read from. Every change of a policy adds one.
  mark: number
  inForce: ReadonlyMap<string, PolicyVersion>
  // All that were in force, oldest first, those of all services together.
  past: readonly PolicyVersion[]
  // Those that lack approvals, oldest first. A version that was overtaken by another one is not among them.
  proposed: readonly PolicyVersion[]
}

function readVersion({at, detail}: PolicyEntry): PolicyVersion | undefined {
  const {kind, data, user, host, why} = (detail ?? {}) as Record<string, unknown>
  const {serviceId, previous, policy} = (data ?? {}) as Record<string, unknown>
  if (kind !== policyProposed || typeof serviceId !== 'string') return undefined
  const document: PolicyDocument = {
    serviceId,
    ...(typeof previous === 'string' && {previous}),
    policy: parsePolicy(policy, 'the journal'),
  }
  return {
    ...document,
    digest: digestPolicy(document),
    at,
    by: `${String(user)}@${String(host)}`,
    ...(typeof why === 'string' && {why}),
    approvedBy: [],
  }
}

interface PolicyApproval {
  at: number
  statement: Statement
  // The public key that signed it.
  publicKey: string
}

// Only what is well signed, and says so of a policy.
function readApproval({at, detail}: PolicyEntry): PolicyApproval | undefined {
  const {kind, data} = (detail ?? {}) as Record<string, unknown>
  const {statement: text, signature} = (data ?? {}) as Record<string, unknown>
  if (kind !== policyApproved || typeof text !== 'string' || typeof signature !== 'string') return undefined
  const statement = parseStatement(text)
  if (statement?.kind !== 'policy') return undefined
  const signed = checkSshSignature({text, signature}, approvalNamespace)
  return signed && {at, statement, publicKey: signed.publicKey}
}

// Clocks of machines differ a little.
const clockToleranceMs = 5 * 60_000

interface Completion {
  version: PolicyVersion
  // The place of the approval that was the last one needed.
  place: number
}

// When the version came to have as many approvals of these people as it needs, if it did. What was approved later, or withdrawn later,
// changes nothing.
function findCompletion(
  version: PolicyVersion,
  approvals: readonly PolicyApproval[],
  judges: Policy,
): Completion | undefined {
  const needed = countForChange(judges)
  if (needed === 0) return {version: {...version, since: version.at}, place: -1}
  const {findPerson} = toJudges(judges)
  const given = new Map<string, Statement>()
  for (const [place, {at, statement, publicKey}] of approvals.entries()) {
    const person = findPerson(publicKey)
    if (person === undefined || statement.serviceId !== version.serviceId || statement.digest !== version.digest)
      continue
    if (statement.action === 'withdrawal') given.delete(person)
    else if (statement.givenAt <= at + clockToleranceMs) given.set(person, statement)
    const valid = [...given].filter(([, {expiresAt = 0}]) => expiresAt > at).map(([name]) => name)
    if (valid.length >= needed) return {version: {...version, approvedBy: valid.toSorted(), since: at}, place}
  }
  return undefined
}

// The one that was approved first, if several were.
function pickFirst(completions: ReadonlyArray<Completion | undefined>): PolicyVersion | undefined {
  const done = completions.filter((completion) => completion !== undefined)
  return done.toSorted((one, other) => one.place - other.place)[0]?.version
}

// The version in force of each service follows from the entries alone.
export function readPolicies({versions: entries, approvals: approvalEntries}: PolicyEntries): Policies {
  const mark = entries.length + approvalEntries.length
  const versions = entries.flatMap((entry) => readVersion(entry) ?? [])
  const approvals = approvalEntries.flatMap((entry) => readApproval(entry) ?? [])
  const inForce = new Map<string, PolicyVersion>()
  const past: PolicyVersion[] = []
  const enter = (version: PolicyVersion) => {
    inForce.set(version.serviceId, version)
    past.push(version)
  }
  const [founder] = versions
  if (founder && founder.previous === undefined) enter({...founder, since: founder.at})
  // A version may let the first one of another service come into force, so it is repeated until nothing changes.
  for (let isChanged = founder !== undefined; isChanged;) {
    isChanged = false
    for (const serviceId of new Set(versions.map((version) => version.serviceId))) {
      const judge = inForce.get(serviceId) ?? inForce.get(founder?.serviceId ?? '')
      if (!judge) continue
      const previous = inForce.get(serviceId)?.digest
      const candidates = versions.filter((version) => version.serviceId === serviceId && version.previous === previous)
      const next = pickFirst(candidates.map((version) => findCompletion(version, approvals, judge.policy)))
      if (!next) continue
      enter(next)
      isChanged = true
    }
  }
  const isOpen = ({serviceId, previous}: PolicyVersion) => inForce.get(serviceId)?.digest === previous
  const isPast = ({digest}: PolicyVersion) => past.some((version) => version.digest === digest)
  const proposed = versions.filter((version) => isOpen(version) && !isPast(version))
  return {
    mark,
    inForce,
    past,
    proposed: proposed.map((version) => withApprovers(version, approvals, {inForce, founder})),
  }
}

function withApprovers(
  version: PolicyVersion,
  approvals: readonly PolicyApproval[],
  {inForce, founder}: {inForce: ReadonlyMap<string, PolicyVersion>; founder: PolicyVersion | undefined},
): PolicyVersion {
  const judge = inForce.get(version.serviceId) ?? inForce.get(founder?.serviceId ?? '')
  const {findPerson} = toJudges(judge?.policy ?? {})
  const given = new Set<string>()
  for (const {statement, publicKey} of approvals) {
    const person = findPerson(publicKey)
    if (person === undefined || statement.digest !== version.digest) continue
    if (statement.action === 'withdrawal') given.delete(person)
    else given.add(person)
  }
  return {...version, approvedBy: [...given].toSorted()}
}

// Those who approve the next version of a service's policy: of its own version in force, else of the one that the journal began with.
export const findJudges = ({inForce, past}: Policies, serviceId: string): Policy | undefined =>
  (inForce.get(serviceId) ?? inForce.get(past[0]?.serviceId ?? ''))?.policy
