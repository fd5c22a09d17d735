// What whoever runs the sandbox can do about verification: force an outcome, and see the magic values.
import type {Customer, CustomerStatus} from '../../contract/customers.ts'
import {ControlError} from '../control-refused.ts'
import {transactionMagic} from '../money/magic.ts'
import {runOperation} from '../operation.ts'
import type {SandboxEnvironment, RequestContext} from '../request-context.ts'
import {canMove, moveCustomer} from './customer-status.ts'
import {customerOf, customerRow, type CustomerRow, findCustomer, type Issue} from './customer-store.ts'
import {issueOf} from './issues.ts'
import {isIssueCode, type MagicValue, verificationMagic} from './magic.ts'
import {beginReview, queueDecision} from './verification.ts'

export type ForcedOutcome = 'approved' | 'needs-information' | 'rejected' | 'deactivated' | 'manual-review'

interface Forced {
  outcome: ForcedOutcome
  // Issue codes, in either case, for the outcomes that come with issues.
  codes?: readonly string[]
  // What every issue says, instead of what its code means.
  message?: string | undefined
}

export interface VerificationControls {
  // Brings the customer's verification to an outcome now.
  force(customerId: string, forced: Forced): Customer
  magic(): MagicValue[]
}

interface Rule {
  to: CustomerStatus
  // How a sentence says it: the customer cannot be …
  participle: string
  takesIssues: boolean
  // Whether it is the end of a review, so that one is begun where none is under way.
  endsReview: boolean
}

const rules: Readonly<Record<ForcedOutcome, Rule>> = {
  approved: {to: 'ACTIVE', participle: 'approved', takesIssues: false, endsReview: true},
  'needs-information': {
    to: 'NEEDS_ADDITIONAL_INFORMATION',
    participle: 'asked for more',
    takesIssues: true,
    endsReview: true,
  },
  rejected: {to: 'REJECTED', participle: 'rejected', takesIssues: true, endsReview: true},
  deactivated: {to: 'DEACTIVATED', participle: 'deactivated', takesIssues: false, endsReview: false},
  'manual-review': {to: 'UNDER_REVIEW', participle: 'put under manual review', takesIssues: false, endsReview: true},
}

const codeDefault: Issue['code'] = 'VERIFICATION_ISSUE'

function issuesFor({outcome, codes = [], message}: Forced, at: number): Issue[] {
  const {participle, takesIssues} = rules[outcome]
  if (!takesIssues) {
    if (codes.length === 0 && message === undefined) return []
    throw new ControlError(`A customer who is ${participle} gets no issues: leave out the code and the message`)
  }
  const wanted = codes.length > 0 ? [...new Set(codes.map((code) => code.toUpperCase()))] : [codeDefault]
  return wanted.map((code) => {
    if (isIssueCode(code)) return issueOf(code, at, message)
    throw new ControlError(`The interface lists no issue code "${code}": \`svc codes\` lists them all`)
  })
}

function existing(turn: RequestContext, customerId: string): CustomerRow {
  const row = findCustomer(turn.database, customerId)
  if (row) return row
  throw new ControlError(`There is no customer ${customerId} in the sandbox`, {notFound: true})
}

// Where no review is under way one is begun, as if data had come: the states follow one another as they always do.
function underReview(turn: RequestContext, row: CustomerRow): CustomerRow {
  if (row.customerStatus === 'UNDER_REVIEW') return row
  beginReview(turn, row, {})
  return customerRow(turn.database, row.customerId)
}

function checkPossible({customerStatus: from}: CustomerRow, outcome: ForcedOutcome) {
  const {to, participle, endsReview} = rules[outcome]
  const isReviewable = from === 'UNDER_REVIEW' || canMove(from, 'UNDER_REVIEW')
  if (endsReview ? isReviewable : canMove(from, to)) return
  const why = endsReview ? 'there is nothing left to review' : 'only one who is ACTIVE can be'
  throw new ControlError(`The customer is ${from} and cannot be ${participle}: ${why}`)
}

function force(turn: RequestContext, customerId: string, forced: Forced): Customer {
  const issues = issuesFor(forced, turn.now)
  const row = existing(turn, customerId)
  checkPossible(row, forced.outcome)
  const {to, endsReview} = rules[forced.outcome]
  if (forced.outcome === 'manual-review') {
    const magic = ['MANUAL_REVIEW'] as const
    if (row.customerStatus === 'UNDER_REVIEW') queueDecision(turn, row, {magic})
    else beginReview(turn, row, {magic})
  } else {
    moveCustomer(turn, endsReview ? underReview(turn, row) : row, to, issues)
  }
  return customerOf(turn, customerRow(turn.database, customerId))
}

export const verificationControls = (house: SandboxEnvironment): VerificationControls => ({
  force: (customerId, forced) => runOperation(house, (turn) => force(turn, customerId, forced)),
  magic: () => [
    ...verificationMagic,
    ...transactionMagic.map(({value, where, effect}) => ({of: 'transaction' as const, value, field: where, effect})),
  ],
})
