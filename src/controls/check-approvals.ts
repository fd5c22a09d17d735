// Decides which approvals of a subject count: good signatures of distinct people other than the one who runs it.
import {SvcError} from '../errors.ts'
import type {ApprovalStore, StoredApproval} from './approval-store.ts'
import {listOwnPublicKeys, verifyText} from './signatures.ts'
import {type Signers, readSigners} from './signers.ts'
import {type ApprovalSubject, type Statement, approvalNamespace, parseStatement, renderStatement} from './statement.ts'

export type NotCounted =
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
  // The names that the one who runs this has among those who may sign.
  runner: string[]
}

// Clocks of machines differ a little.
const clockToleranceMs = 5 * 60_000

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
  samePerson: 'the same person has approved already',
}

const describeNotCounted = (reason: NotCounted) => wordsOfReasons[reason]

function findMismatch(statement: Statement, subject: ApprovalSubject, nowMs: number): NotCounted | undefined {
  if (statement.serviceId !== subject.serviceId) return 'otherService'
  if (statement.kind !== subject.kind) return 'otherKind'
  if (statement.digest !== subject.digest) return 'otherContent'
  if (statement.givenAt > nowMs + clockToleranceMs) return 'future'
  return (statement.expiresAt ?? Infinity) <= nowMs ? 'expired' : undefined
}

interface SignedStatement extends CheckedApproval {
  isVerified: boolean
}

async function readStored(stored: StoredApproval, signers: Signers): Promise<SignedStatement> {
  const {id, signature} = stored
  const statement = parseStatement(stored.text)
  if (!statement) return {id, signature, isVerified: false, notCounted: 'unreadable'}
  const verified = await verifyText(stored, {signers, namespace: approvalNamespace})
  if (!verified.isGood) return {id, signature, statement, isVerified: false, notCounted: verified.reason}
  return {id, signature, statement, isVerified: true, person: verified.person}
}

export interface ApprovalRules {
  signersFile: string
  nowMs?: number | undefined
  // For somebody who only looks: whoever will run it is not known.
  isRunnerCounted?: boolean | undefined
}

// The names under which the one who runs this may sign.
async function findRunner(signers: Signers): Promise<string[]> {
  const keys = await listOwnPublicKeys()
  return [...new Set(keys.flatMap((key) => signers.findOwner(key) ?? []))]
}

export async function checkApprovals(
  store: Pick<ApprovalStore, 'list'>,
  subject: ApprovalSubject,
  {signersFile, nowMs = Date.now(), isRunnerCounted = false}: ApprovalRules,
): Promise<ApprovalCheck> {
  const signers = readSigners(signersFile)
  const runner = isRunnerCounted ? [] : await findRunner(signers)
  const found: SignedStatement[] = []
  for (const stored of await store.list()) found.push(await readStored(stored, signers))
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
        findMismatch(statement, subject, nowMs) ??
        (isWithdrawn({...approval, isVerified}) ? 'withdrawn' : undefined) ??
        (runner.includes(person) ? 'runner' : undefined) ??
        (people.has(person) ? 'samePerson' : undefined)
      if (reason === undefined) people.add(person)
      return reason === undefined ? approval : {...approval, notCounted: reason}
    })
  return {approvals, people: [...people], runner}
}

// Refuses what too few people have approved, and says who has and who has not.
export interface ApprovalDemand {
  subject: ApprovalSubject
  store: Pick<ApprovalStore, 'list'>
  // Of people other than the one who runs this.
  required: number
  signersFile: string
  // What is to be approved, as the subject of a sentence: payroll.csv.
  what: string
  // The command with which others approve it.
  command: string
  nowMs?: number | undefined
}

const listNames = (people: readonly string[]) => (people.length > 0 ? ` (${people.join(', ')})` : '')

// One line for every approval that does not count.
const listNotCounted = ({approvals}: ApprovalCheck): string[] =>
  approvals.flatMap(({id, person, statement, notCounted}) => {
    if (notCounted === undefined) return []
    const given = statement ? `, given ${new Date(statement.givenAt).toISOString()}` : ''
    return [`not counted: ${person ?? id}${given}: ${describeNotCounted(notCounted)}`]
  })

// Too few people have approved something.
export class NotApproved extends SvcError {
  readonly demand: Pick<ApprovalDemand, 'subject' | 'required' | 'command'>
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
  const {store, subject, signersFile, nowMs, required} = demand
  const check = await checkApprovals(store, subject, {signersFile, nowMs})
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

const toTime = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

export const listShownApprovals = ({approvals}: ApprovalCheck): ShownApproval[] =>
  approvals.map(({id, person, statement, notCounted}) => ({
    signer: person ?? `unknown (${id})`,
    ...(statement && {
      givenAt: toTime(statement.givenAt),
      expiresAt: toTime(statement.expiresAt),
      user: statement.user,
    }),
    counts: notCounted === undefined,
    ...(notCounted !== undefined && {reason: describeNotCounted(notCounted)}),
  }))
