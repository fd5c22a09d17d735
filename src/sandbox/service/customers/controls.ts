// Lets the person who runs the sandbox force an outcome of verification and list the magic values.
import type {Customer} from '../../../contract/customers.ts'
import {ControlError} from '../../operations/control-error.ts'
import {transactionMagic} from '../money/transitions.ts'
import type {RequestContext} from '../request-context.ts'
import {beginReview, canMove, createIssue, moveCustomer, queueDecision} from './verification.ts'
import {
  toCustomer,
  getCustomerRow,
  type CustomerRow,
  findCustomerRow,
  type Issue,
  type StoredIssue,
} from './customer-store.ts'
import {isIssueCode, verificationMagic} from './magic-values.ts'
import {type Outcome, verificationOutcomes} from './outcomes.ts'

interface ForcedVerification {
  outcome: Outcome
  // Issue codes in upper or lower case, for the outcomes that have issues.
  codes?: readonly string[]
  // The message of every issue, instead of the meaning of its code.
  message?: string | undefined
}

const madeUp = {isMadeUp: true} as const

const issueCodeDefault: Issue['code'] = 'VERIFICATION_ISSUE'

function createIssues({outcome, codes = [], message}: ForcedVerification, at: number): StoredIssue[] {
  const {pastParticiple, takesIssues} = verificationOutcomes[outcome]
  if (!takesIssues) {
    if (codes.length === 0 && message === undefined) return []
    throw new ControlError(`A customer who is ${pastParticiple} has no issues: leave out the code and the message`)
  }
  const upperCaseCodes = codes.length > 0 ? [...new Set(codes.map((code) => code.toUpperCase()))] : [issueCodeDefault]
  return upperCaseCodes.map((code) => {
    if (isIssueCode(code)) return createIssue({code, ...(message !== undefined && {message})}, at)
    throw new ControlError(`The interface lists no issue code "${code}": \`svc codes\` lists them all`)
  })
}

function getExistingCustomer(context: RequestContext, customerId: string): CustomerRow {
  const row = findCustomerRow(context.database, customerId)
  if (row) return row
  throw new ControlError(`There is no customer ${customerId} in the sandbox`, {notFound: true})
}

// Starts a review if none is in progress, as if data had arrived, so that the usual transitions are followed.
function ensureUnderReview(context: RequestContext, row: CustomerRow): CustomerRow {
  if (row.customerStatus === 'UNDER_REVIEW') return row
  beginReview(context, row, {}, madeUp)
  return getCustomerRow(context.database, row.customerId)
}

function checkOutcomeIsPossible({customerStatus: from}: CustomerRow, outcome: Outcome) {
  const {to, pastParticiple, endsReview} = verificationOutcomes[outcome]
  const isReviewable = from === 'UNDER_REVIEW' || canMove(from, 'UNDER_REVIEW')
  if (endsReview ? isReviewable : canMove(from, to)) return
  const why = endsReview ? 'there is nothing left to review' : 'only an ACTIVE customer can be'
  throw new ControlError(`The customer is ${from} and cannot be ${pastParticiple}: ${why}`)
}

function forceOutcome(context: RequestContext, customerId: string, forced: ForcedVerification): Customer {
  const issues = createIssues(forced, context.now)
  const row = getExistingCustomer(context, customerId)
  checkOutcomeIsPossible(row, forced.outcome)
  const {to, endsReview} = verificationOutcomes[forced.outcome]
  if (forced.outcome === 'manual-review') {
    const magic = ['MANUAL_REVIEW'] as const
    if (row.customerStatus === 'UNDER_REVIEW') queueDecision(context, row, {magic})
    else beginReview(context, row, {magic}, madeUp)
  } else {
    moveCustomer(context, endsReview ? ensureUnderReview(context, row) : row, to, issues, madeUp)
  }
  return toCustomer(context, getCustomerRow(context.database, customerId))
}

// `force` moves the customer's verification to an outcome immediately.
export const verificationControls = {force: forceOutcome, magic: () => [...verificationMagic, ...transactionMagic]}
