// Decides which approvals of a subject count: good signatures of distinct people other than the one who runs it. Refuses what too few
// people have approved, and records whose approvals were used.
import {SvcError} from '../errors.ts'
import {describeOperator, nameOperator} from './operator.ts'
import {omitUndefined} from '../values/records.ts'
import {countNoun, quoteForShell} from '../values/text.ts'
import {toIso} from '../values/time.ts'
import type {ApprovalStore, StoredApproval} from './approval-store.ts'
import {type BothClocks, readEarlier, readLater} from './both-clocks.ts'
import {needsApproval} from './check-spending.ts'
import type {Controls, Runner} from './decide.ts'
import type {Signer} from './limits.ts'
import type {DecisionJournal, RecordedDecision} from './decisions.ts'
import {listOwnPublicKeys} from './signatures.ts'
import {findSigner} from './signers.ts'
import {checkSshSignature} from './ssh-signature.ts'
import {type ApprovalSubject, type Statement, approvalNamespace, givenAheadMaxMs, parseStatement} from './statement.ts'

const reasons = {
  unreadable: 'it is not an approval that svc wrote',
  badSignature: 'its signature is not good',
  notAllowed: 'nobody who may sign has its key',
  otherService: 'it is for another service',
  otherKind: 'it is for something of another kind',
  otherContent: 'it is for other content',
  expired: 'it has expired',
  future: 'it was given in the future',
  withdrawn: 'it was withdrawn',
  runner: 'it is of the one who runs this',
  sameUser: 'it was signed by the user and on the machine that run this',
  samePerson: 'the same person has approved already',
} as const

interface CheckedApproval extends StoredApproval {
  statement?: Statement | undefined
  // Absent if no good signature of somebody who is allowed says who it was.
  person?: string | undefined
  // Absent if it counts.
  notCounted?: keyof typeof reasons | undefined
}

interface ApprovalCheck {
  approvals: CheckedApproval[]
  // The people whose approvals count.
  people: string[]
}

interface ApprovalRules {
  approvers: readonly Signer[]
  // Undefined for somebody who only looks: whoever will run it is not known.
  runner: Runner | undefined
  clock: BothClocks
}

function readStored(stored: StoredApproval, signers: readonly Signer[]): CheckedApproval {
  const statement = parseStatement(stored.text)
  if (!statement) return {...stored, notCounted: 'unreadable'}
  const signed = checkSshSignature(stored, approvalNamespace)
  if (!signed) return {...stored, statement, notCounted: 'badSignature'}
  const person = findSigner(signers, signed.publicKey)
  return {...stored, statement, ...(person === undefined ? {notCounted: 'notAllowed'} : {person})}
}

function findMismatch(
  statement: Statement,
  subject: ApprovalSubject,
  clock: BothClocks,
): CheckedApproval['notCounted'] {
  if (statement.serviceId !== subject.serviceId) return 'otherService'
  if (statement.kind !== subject.kind) return 'otherKind'
  if (statement.digest !== subject.digest) return 'otherContent'
  if (statement.givenAt > readEarlier(clock) + givenAheadMaxMs) return 'future'
  return (statement.expiresAt ?? Infinity) <= readLater(clock) ? 'expired' : undefined
}

export async function checkApprovals(
  store: Pick<ApprovalStore, 'list'>,
  subject: ApprovalSubject,
  {approvers, runner, clock}: ApprovalRules,
): Promise<ApprovalCheck> {
  const found = (await store.list()).map((stored) => readStored(stored, approvers))
  // A withdrawal is for what its person approved before, of the same content.
  const isWithdrawn = ({person, statement: approved}: CheckedApproval) =>
    found.some(
      ({person: other, statement}) =>
        statement?.action === 'withdrawal' &&
        other !== undefined &&
        other === person &&
        statement.serviceId === approved?.serviceId &&
        statement.kind === approved.kind &&
        statement.digest === approved.digest &&
        statement.givenAt >= approved.givenAt,
    )
  const people = new Set<string>()
  const findReason = (approval: CheckedApproval): CheckedApproval['notCounted'] => {
    const {person = '', statement, notCounted} = approval
    if (notCounted !== undefined || !statement) return notCounted ?? 'unreadable'
    const mismatch = findMismatch(statement, subject, clock)
    if (mismatch !== undefined) return mismatch
    if (isWithdrawn(approval)) return 'withdrawn'
    if (runner?.approvers.includes(person)) return 'runner'
    if (runner?.user === statement.user) return 'sameUser'
    if (people.has(person)) return 'samePerson'
    people.add(person)
    return undefined
  }
  const approvals = found
    .filter(({statement}) => statement?.action !== 'withdrawal')
    .map((approval) => ({...approval, notCounted: findReason(approval)}))
  return {approvals, people: [...people]}
}

// Who runs svc, with the approvers that he is by the keys that he has or had.
export async function findRunner({binding}: Pick<Controls, 'binding'>, approvers: readonly Signer[]): Promise<Runner> {
  const known = binding?.runner ?? {user: nameOperator(describeOperator()), approvers: []}
  const byKeys = (await listOwnPublicKeys()).flatMap((key) => findSigner(approvers, key) ?? [])
  return {...known, approvers: [...new Set([...known.approvers, ...byKeys])]}
}

type Sums = ReadonlyArray<{currency: string; amount: string}>

interface ApprovalDemand {
  subject: ApprovalSubject
  // How many people other than the one who runs this.
  required: number
  // The command with which others approve it.
  command: string
  // What it pays, by currency, for those who are asked.
  sums?: Sums | undefined
}

// Too few people have approved something. `what` is the subject of a sentence.
export class NotApproved extends SvcError {
  readonly demand: ApprovalDemand
  readonly given: number

  constructor(what: string, demand: ApprovalDemand, {approvals, people}: ApprovalCheck) {
    const {required, command} = demand
    const has = people.length === 0 ? 'none' : `${people.length} (${people.join(', ')})`
    super({
      error: 'NOT_APPROVED',
      kind: 'limit',
      message: `${what} needs ${countNoun(required, 'approval')} by others than the one who runs it, and has ${has}`,
      hint: `Others approve it with \`${command}\`; nothing was sent`,
      problems: approvals.flatMap(({id, person, statement, notCounted}) => {
        if (notCounted === undefined) return []
        const given = statement ? `, given ${toIso(statement.givenAt)}` : ''
        return [`not counted: ${person ?? id}${given}: ${reasons[notCounted]}`]
      }),
    })
    this.demand = demand
    this.given = people.length
  }
}

// `what` is a file or a batch. Without it, the command approves the policy that waits.
export const describeApproveCommand = (what: string | undefined, profileName: string | undefined, slot?: string) =>
  [
    `svc approve ${what === undefined ? '--policy' : quoteForShell(what)}`,
    ...(slot === undefined ? [] : [`--slot ${slot}`]),
    ...(profileName === undefined ? [] : [`-p ${quoteForShell(profileName)}`]),
  ].join(' ')

export interface ApprovalRequest {
  caller: Controls & {profileName?: string | undefined}
  subject: ApprovalSubject
  store: Pick<ApprovalStore, 'list'>
  // What it pays, by currency. Absent for what pays again and again, which always needs approvals.
  sums?: Sums | undefined
  // The file, or the batch of the fleet.
  name: string
  isBatch?: boolean
  // The slot of the file, if it has one.
  slot?: string | undefined
  clock: BothClocks
}

// The outcome for something that may be paid.
export interface Approval {
  // Those that count.
  approvals: readonly CheckedApproval[]
  // What they approved. Absent if nobody had to.
  subject?: ApprovalSubject
  // Whether enough people approved it, so that new payees in it need not wait.
  isApproved: boolean
  // Looks again whether they still do, and returns the error if not. Absent if nobody has to approve it.
  recheck?: (() => Promise<SvcError | undefined>) | undefined
}

const nothingApproved: Approval = {approvals: [], isApproved: false}

// Throws with code 10 if approvals are required and too few. Where none are required, those that there are may still let new payees
// be paid without waiting.
export async function requireApproval(request: ApprovalRequest): Promise<Approval> {
  const {caller, subject, store, sums, name, isBatch = false, slot, clock} = request
  const {approvals: policy, coolDownMs = 0} = caller
  const isNeeded = policy !== undefined && (sums ? needsApproval(caller, sums) : policy.required > 0)
  if (!policy || (!isNeeded && coolDownMs === 0)) return nothingApproved
  const {approvers} = policy
  const rules = {approvers, runner: await findRunner(caller, approvers), clock}
  const demand = {
    subject,
    required: isNeeded ? policy.required : 1,
    command: describeApproveCommand(name, caller.profileName, slot),
    sums,
  }
  const findApprovals = async () => {
    const check = await checkApprovals(store, subject, rules)
    if (check.people.length < demand.required)
      throw new NotApproved(isBatch ? `The batch ${name}` : name, demand, check)
    return check.approvals.filter(({notCounted}) => notCounted === undefined)
  }
  try {
    const approvals = await findApprovals()
    return {approvals, subject, isApproved: true, recheck: createRecheck(approvals, findApprovals, clock)}
  } catch (error) {
    if (isNeeded || !(error instanceof SvcError)) throw error
    return nothingApproved
  }
}

// How soon a withdrawn approval is noticed.
export const recheckEveryMs = 5_000

// Approvals may be withdrawn or expire while a long file is paid. They are read again every few
// seconds, and as soon as one of them has expired: the service's time may have become known since.
function createRecheck(
  approvals: readonly CheckedApproval[],
  findApprovals: () => Promise<unknown>,
  clock: BothClocks,
): NonNullable<Approval['recheck']> {
  const firstEndMs = Math.min(...approvals.map(({statement}) => statement?.expiresAt ?? Infinity))
  let checked: Promise<SvcError | undefined> = Promise.resolve(undefined)
  let checkedAtMs = performance.now()
  return () => {
    const isFresh = performance.now() - checkedAtMs < recheckEveryMs
    if (isFresh && readLater(clock) < firstEndMs) return checked
    checkedAtMs = performance.now()
    checked = findApprovals().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof SvcError) return error
        throw error
      },
    )
    return checked
  }
}

const approvalUsed = 'APPROVAL_USED'

// Records whose approvals were used, with what they signed, so that it can be verified later. `about` names the payment, the file or
// the batch.
export async function recordApprovals(
  journal: Pick<DecisionJournal, 'recordDecision'>,
  {approvals, subject}: Approval,
  about: Record<string, string>,
): Promise<void> {
  if (!subject) return
  const used = approvals.map(({person, text, signature}) => ({signer: person, statement: text, signature}))
  const data = {kind: subject.kind, digest: subject.digest, approvals: used}
  await journal.recordDecision({kind: approvalUsed, about, who: describeOperator(), data})
}

// Returns the record of the approvals that something with this digest was paid with at that time.
export function findRecordedApprovals<T extends RecordedDecision>(
  decisions: readonly T[],
  digest: unknown,
  at: number,
): T | undefined {
  if (digest === undefined) return undefined
  const isOfDigest = ({detail: {kind, data} = {}}: T) =>
    kind === approvalUsed && (data as {digest?: unknown} | undefined)?.digest === digest
  const recorded = decisions.filter(isOfDigest)
  return recorded.findLast((decision) => decision.at <= at) ?? recorded[0]
}

// As they are shown to a person who approves, or asks who has.
export const listShownApprovals = ({approvals}: ApprovalCheck) =>
  approvals.map(({id, person, statement, notCounted}) =>
    omitUndefined({
      signer: person ?? `unknown (${id})`,
      givenAt: toIso(statement?.givenAt),
      expiresAt: toIso(statement?.expiresAt),
      // The user and the machine, as they said themselves.
      user: statement?.user,
      counts: notCounted === undefined,
      reason: notCounted && reasons[notCounted],
    }),
  )
