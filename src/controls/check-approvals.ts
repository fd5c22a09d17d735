// Decides which approvals of a subject count: good signatures of distinct people other than the one who runs it.
import {SvcError} from '../errors.ts'
import type {ApprovalStore, StoredApproval} from './approval-store.ts'
import type {Judges} from './limits.ts'
import {checkSshSignature} from './ssh-signature.ts'
import {toIso} from '../values/time.ts'
import {
  type ApprovalSubject,
  type Statement,
  approvalNamespace,
  givenAheadMaxMs,
  parseStatement,
  renderStatement,
} from './statement.ts'

type NotCounted =
  | 'unreadable'
  | 'badSignature'
  | 'notAllowed'
  | 'otherService'
  | 'otherKind'
  | 'otherContent'
  | 'expired'
  | 'future'
  | 'withdrawn'
  | 'runner'
  | 'sameUser'
  | 'samePerson'

export interface CheckedApproval {
  id: string
  // Absent if no good signature of somebody who is allowed says who it was.
  person?: string | undefined
  statement?: Statement | undefined
  signature: string
  // Absent if it counts.
  notCounted?: NotCounted | undefined
}

export interface ApprovalCheck {
  approvals: CheckedApproval[]
  // The people whose approvals count.
  people: string[]
}

const wordsOfReasons: Readonly<Record<NotCounted, string>> = {
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
}

function findMismatch(
  statement: Statement,
  subject: ApprovalSubject,
  {nowMs = Date.now()}: Pick<ApprovalRules, 'nowMs'>,
): NotCounted | undefined {
  if (statement.serviceId !== subject.serviceId) return 'otherService'
  if (statement.kind !== subject.kind) return 'otherKind'
  if (statement.digest !== subject.digest) return 'otherContent'
  if (statement.givenAt > nowMs + givenAheadMaxMs) return 'future'
  return (statement.expiresAt ?? Infinity) <= nowMs ? 'expired' : undefined
}

interface SignedStatement extends CheckedApproval {
  isVerified: boolean
}

function readStored(stored: StoredApproval, judges: Judges): SignedStatement {
  const {id, signature} = stored
  const statement = parseStatement(stored.text)
  if (!statement) return {id, signature, isVerified: false, notCounted: 'unreadable'}
  const signed = checkSshSignature(stored, approvalNamespace)
  if (!signed) return {id, signature, statement, isVerified: false, notCounted: 'badSignature'}
  const person = judges.findPerson(signed.publicKey)
  if (person === undefined) return {id, signature, statement, isVerified: false, notCounted: 'notAllowed'}
  return {id, signature, statement, isVerified: true, person}
}

// The one who runs something, as far as svc can tell.
export interface Runner {
  // The user and the machine, as approvals name them.
  user: string
  // The approvers that he is: as the policy says, or by the keys that he has or had.
  approvers: readonly string[]
}

export interface ApprovalRules {
  judges: Judges
  nowMs?: number | undefined
  // Undefined for somebody who only looks: whoever will run it is not known.
  runner: Runner | undefined
}

export async function checkApprovals(
  store: Pick<ApprovalStore, 'list'>,
  subject: ApprovalSubject,
  {judges, runner, ...time}: ApprovalRules,
): Promise<ApprovalCheck> {
  const found = (await store.list()).map((stored) => readStored(stored, judges))
  // A withdrawal is for what its person approved before, of the same content.
  const withdrawals = found.filter(({isVerified, statement}) => isVerified && statement?.action === 'withdrawal')
  const isWithdrawn = ({person, statement}: SignedStatement) =>
    withdrawals.some(
      (withdrawal) =>
        withdrawal.person === person &&
        withdrawal.statement?.serviceId === statement?.serviceId &&
        withdrawal.statement?.kind === statement?.kind &&
        withdrawal.statement?.digest === statement?.digest &&
        (withdrawal.statement?.givenAt ?? 0) >= (statement?.givenAt ?? 0),
    )
  const people = new Set<string>()
  const approvals = found
    .filter(({statement}) => statement?.action !== 'withdrawal')
    .map(({isVerified, ...approval}): CheckedApproval => {
      const {person, statement} = approval
      if (!isVerified || person === undefined || !statement) return approval
      const reason =
        findMismatch(statement, subject, time) ??
        (isWithdrawn({...approval, isVerified}) ? 'withdrawn' : undefined) ??
        (runner?.approvers.includes(person) ? 'runner' : undefined) ??
        (runner?.user === statement.user ? 'sameUser' : undefined) ??
        (people.has(person) ? 'samePerson' : undefined)
      if (reason === undefined) people.add(person)
      return reason === undefined ? approval : {...approval, notCounted: reason}
    })
  return {approvals, people: [...people]}
}

// Refuses what too few people have approved, and says who has and who has not.
export interface ApprovalDemand {
  subject: ApprovalSubject
  store: Pick<ApprovalStore, 'list'>
  // Of people other than the one who runs this.
  required: number
  judges: Judges
  runner: Runner
  // What is to be approved, as the subject of a sentence: payroll.csv.
  what: string
  // The command with which others approve it.
  command: string
  // What it pays, by currency, for those who are asked.
  sums?: ReadonlyArray<{currency: string; amount: string}> | undefined
  nowMs?: number | undefined
}

const listNames = (people: readonly string[]) => (people.length > 0 ? ` (${people.join(', ')})` : '')

// One line for every approval that does not count.
const listNotCounted = ({approvals}: ApprovalCheck): string[] =>
  approvals.flatMap(({id, person, statement, notCounted}) => {
    if (notCounted === undefined) return []
    const given = statement ? `, given ${toIso(statement.givenAt)}` : ''
    return [`not counted: ${person ?? id}${given}: ${wordsOfReasons[notCounted]}`]
  })

// Too few people have approved something.
export class NotApproved extends SvcError {
  readonly demand: Pick<ApprovalDemand, 'subject' | 'required' | 'command' | 'sums'>
  readonly given: number

  constructor(demand: ApprovalDemand, given: number, details: Pick<SvcError, 'message' | 'hint' | 'problems'>) {
    super({error: 'NOT_APPROVED', kind: 'limit', ...details})
    this.demand = demand
    this.given = given
  }
}

export const isNotApproved = (error: unknown): error is NotApproved => error instanceof NotApproved

export function createNotApprovedError(demand: ApprovalDemand, check: ApprovalCheck): NotApproved {
  const {required, what, command} = demand
  const {people} = check
  const needs = `${required} ${required === 1 ? 'approval' : 'approvals'}`
  const has = people.length === 0 ? 'none' : `${people.length}${listNames(people)}`
  return new NotApproved(demand, people.length, {
    message: `${what} needs ${needs} by others than the one who runs it, and has ${has}`,
    hint: `Others approve it with \`${command}\`; nothing was sent`,
    problems: listNotCounted(check),
  })
}

// Returns the approvals that count. Throws if they are too few.
export async function requireApprovals(demand: ApprovalDemand): Promise<CheckedApproval[]> {
  const {store, subject, required} = demand
  const check = await checkApprovals(store, subject, demand)
  if (check.people.length < required) throw createNotApprovedError(demand, check)
  return check.approvals.filter(({notCounted}) => notCounted === undefined)
}

// An approval as the journal keeps it: with the signed text and the signature, so that it can be verified later.
export const toEvidence = ({person, statement, signature}: CheckedApproval) => ({
  signer: person ?? '',
  statement: statement ? renderStatement(statement) : '',
  signature,
})

// Lists approvals as they are shown to a person who approves, or asks who has.
export interface ShownApproval {
  // Empty if no good signature says who it was.
  signer: string
  givenAt?: string | undefined
  expiresAt?: string | undefined
  // The user and the machine, as they said themselves.
  user?: string | undefined
  counts: boolean
  reason?: string | undefined
}

export const listShownApprovals = ({approvals}: ApprovalCheck): ShownApproval[] =>
  approvals.map(({id, person, statement, notCounted}) => ({
    signer: person ?? `unknown (${id})`,
    ...(statement && {
      givenAt: toIso(statement.givenAt),
      expiresAt: toIso(statement.expiresAt),
      user: statement.user,
    }),
    counts: notCounted === undefined,
    ...(notCounted !== undefined && {reason: wordsOfReasons[notCounted]}),
  }))
