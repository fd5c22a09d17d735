// What whoever runs the sandbox can do about verification: force an outcome, and see the magic values.
import type {Customer, CustomerStatus} from '../../contract/customers.ts'
import {ControlError} from '../control-error.ts'
import {transactionMagic} from '../money/magic-amounts.ts'
import {runOperation} from '../operation.ts'
import type {SandboxEnvironment, RequestContext} from '../request-context.ts'
import {canMove, moveCustomer} from './customer-status.ts'
import {toCustomer, getCustomerRow, type CustomerRow, findCustomerRow, type Issue} from './customer-store.ts'
import {createIssue} from './issues.ts'
import {isIssueCode, type MagicValue, verificationMagic} from './magic-values.ts'
import {beginReview, queueDecision} from './verification.ts'

export type ForcedOutcome = 'approved' | 'needs-information' | 'rejected' | 'deactivated' | 'manual-review'

interface ForcedVerification {
  outcome: ForcedOutcome
  // Issue codes, in either case, for the outcomes that come with issues.
  codes?: readonly string[]
  // What every issue says, instead of what its code means.
  message?: string | undefined
}

export interface VerificationControls {
  // Brings the customer's verification to an outcome now.
  force(customerId: string, forced: ForcedVerification): Customer
  magic(): MagicValue[]
}

interface OutcomeRule {
  to: CustomerStatus
  // How a sentence says it: the customer cannot be …
  pastParticiple: string
  takesIssues: boolean
  // Whether it is the end of a review, so that one is begun where none is under way.
  endsReview: boolean
}

const outcomeRules: Readonly<Record<ForcedOutcome, OutcomeRule>> = {
  approved: {to: 'ACTIVE', pastParticiple: 'approved', takesIssues: false, endsReview: true},
  'needs-information': {
    to: 'NEEDS_ADDITIONAL_INFORMATION',
    pastParticiple: 'asked for more',
    takesIssues: true,
    endsReview: true,
  },
  rejected: {to: 'REJECTED', pastParticiple: 'rejected', takesIssues: true, endsReview: true},
  deactivated: {to: 'DEACTIVATED', pastParticiple: 'deactivated', takesIssues: false, endsReview: false},
  'manual-review': {
    to: 'UNDER_REVIEW',
    pastParticiple: 'put under manual review',
    takesIssues: false,
    endsReview: true,
  },
}

const issueCodeDefault: Issue['code'] = 'VERIFICATION_ISSUE'

function createIssues({outcome, codes = [], message}: ForcedVerification, at: number): Issue[] {
  const {pastParticiple: participle, takesIssues} = outcomeRules[outcome]
  if (!takesIssues) {
    if (codes.length === 0 && message === undefined) return []
    throw new ControlError(`A customer who is ${participle} gets no issues: leave out the code and the message`)
  }
  const wanted = codes.length > 0 ? [...new Set(codes.map((code) => code.toUpperCase()))] : [issueCodeDefault]
  return wanted.map((code) => {
    if (isIssueCode(code)) return createIssue(code, at, message)
    throw new ControlError(`The interface lists no issue code "${code}": \`svc codes\` lists them all`)
  })
}

function getExistingCustomer(context: RequestContext, customerId: string): CustomerRow {
  const row = findCustomerRow(context.database, customerId)
  if (row) return row
  throw new ControlError(`There is no customer ${customerId} in the sandbox`, {notFound: true})
}

// Where no review is under way one is begun, as if data had come: the states follow one another as they always do.
function ensureUnderReview(context: RequestContext, row: CustomerRow): CustomerRow {
  if (row.customerStatus === 'UNDER_REVIEW') return row
  beginReview(context, row, {})
  return getCustomerRow(context.database, row.customerId)
}

function checkOutcomeIsPossible({customerStatus: from}: CustomerRow, outcome: ForcedOutcome) {
  const {to, pastParticiple: participle, endsReview} = outcomeRules[outcome]
  const isReviewable = from === 'UNDER_REVIEW' || canMove(from, 'UNDER_REVIEW')
  if (endsReview ? isReviewable : canMove(from, to)) return
  const why = endsReview ? 'there is nothing left to review' : 'only one who is ACTIVE can be'
  throw new ControlError(`The customer is ${from} and cannot be ${participle}: ${why}`)
}

function forceOutcome(context: RequestContext, customerId: string, forced: ForcedVerification): Customer {
  const issues = createIssues(forced, context.now)
  const row = getExistingCustomer(context, customerId)
  checkOutcomeIsPossible(row, forced.outcome)
  const {to, endsReview} = outcomeRules[forced.outcome]
  if (forced.outcome === 'manual-review') {
    const magic = ['MANUAL_REVIEW'] as const
    if (row.customerStatus === 'UNDER_REVIEW') queueDecision(context, row, {magic})
    else beginReview(context, row, {magic})
  } else {
    moveCustomer(context, endsReview ? ensureUnderReview(context, row) : row, to, issues)
  }
  return toCustomer(context, getCustomerRow(context.database, customerId))
}

export const createVerificationControls = (environment: SandboxEnvironment): VerificationControls => ({
  force: (customerId, forced) => runOperation(environment, (context) => forceOutcome(context, customerId, forced)),
  magic: () => [
    ...verificationMagic,
    ...transactionMagic.map(({value, where, effect}) => ({of: 'transaction' as const, value, field: where, effect})),
  ],
})
