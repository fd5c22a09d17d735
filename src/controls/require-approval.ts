// Refuses what too few people have approved, and says who has and who has not.
import {SvcError} from '../errors.ts'
import type {ApprovalStore} from './approval-store.ts'
import {type ApprovalCheck, type CheckedApproval, checkApprovals, describeNotCounted} from './check-approvals.ts'
import {renderStatement} from './statement.ts'
import type {ApprovalSubject} from './subject.ts'

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
