// The statuses of a customer, and reviews: a submission starts a review, which is decided later on the virtual clock.
import {omitUndefined} from '../../../values/records.ts'
import {dayMs, hourMs, secondMs, toIsoDate} from '../../../values/time.ts'
import {type CustomerStatus, limits} from '../../../contract/vocabulary.ts'
import {type Finding, describeCode, reviewData} from '../../../values/review-data.ts'
import type {AddressMismatch} from '../../../values/verification-data.ts'
import {
  type ChangeNote,
  type CustomerRow,
  type StoredIssue,
  getCustomerRow,
  readIssues,
  readVerificationData,
  recordStatusChange,
  toIssue,
} from './customer-store.ts'
import {toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import type {ReviewInput, TaskPayloads} from '../../time/tasks.ts'
import type {RequestContext} from '../request-context.ts'
import {emitCustomerUpdated} from '../webhooks/events.ts'
import {type Magic, isIssueCode} from './magic-values.ts'

// Every change of a customer's status follows this table. The interface shows no transition into REJECTED or DEACTIVATED:
// they are assumed, and so is that both statuses are final (docs/assumptions.md, V7).
const transitions: Readonly<Record<CustomerStatus, readonly CustomerStatus[]>> = {
  CREATED: ['UNDER_REVIEW'],
  UNDER_REVIEW: ['ACTIVE', 'NEEDS_ADDITIONAL_INFORMATION', 'REJECTED'],
  NEEDS_ADDITIONAL_INFORMATION: ['UNDER_REVIEW'],
  ACTIVE: ['DEACTIVATED'],
  REJECTED: [],
  DEACTIVATED: [],
}

export const canMove = (from: CustomerStatus, to: CustomerStatus): boolean => transitions[from].includes(to)

export function moveCustomer(
  context: RequestContext,
  row: CustomerRow,
  to: CustomerStatus,
  issues: readonly StoredIssue[],
  note: ChangeNote = {},
) {
  if (!canMove(row.customerStatus, to)) throw new Error(`A customer cannot move from ${row.customerStatus} to ${to}`)
  context.database.run(
    'update customers set customerStatus = ?, updatedAt = ?, issues = ? where customerId = ?',
    to,
    context.now,
    JSON.stringify(issues),
    row.customerId,
  )
  // A review that begins keeps the issues of the one before, which has them in its own change.
  const found = to === 'UNDER_REVIEW' ? [] : issues.map(toIssue)
  recordStatusChange(context, row.customerId, {
    fromStatus: row.customerStatus,
    toStatus: to,
    note: {...(found.length > 0 && {issues: found}), ...note},
  })
  emitCustomerUpdated(context, row.customerId)
}

// Turns what a review found into issues that are stored with the customer.
export const createIssue = ({code, message = describeCode(code), item, paths}: Finding, at: number): StoredIssue =>
  omitUndefined({code, message, timestamp: toTimestamp(at), item, paths})

// The interface calls "under 10 minutes" typical. The sandbox is faster, because a person waits for it.
export const reviewSeconds = 5
export const manualReviewDays = limits.manualReviewBusinessDaysMax
export const deactivationHours = 1

// The number of the reviews of seeded customers, which have no submission and are always approved.
const seededReview = 0

interface Outcome {
  to: CustomerStatus
  findings: readonly Finding[]
}

const approved: Outcome = {to: 'ACTIVE', findings: []}
const unspecifiedFindings: readonly Finding[] = [{code: 'VERIFICATION_ISSUE'}]

// Checks the magic values in the order of their precedence.
function decideByMagic(magic: readonly Magic[]): Outcome | undefined {
  const findings = magic.filter(isIssueCode).map((code) => ({code}))
  if (magic.includes('REJECT')) return {to: 'REJECTED', findings: findings.length > 0 ? findings : unspecifiedFindings}
  if (magic.includes('DEACTIVATE')) return approved
  if (findings.length > 0) return {to: 'NEEDS_ADDITIONAL_INFORMATION', findings}
  return magic.length > 0 ? approved : undefined
}

function decideByData(context: RequestContext, row: CustomerRow, mismatches: readonly AddressMismatch[]): Outcome {
  const findings = [
    ...reviewData(row.customerType, readVerificationData(context.database, row.customerId), toIsoDate(context.now)),
    ...mismatches.map(({code, path}) => ({
      code,
      message: `${path} is not known in this country. Correct it.`,
      paths: [path],
    })),
  ]
  return findings.length === 0 ? approved : {to: 'NEEDS_ADDITIONAL_INFORMATION', findings}
}

// Counts a new review and queues its decision. The count makes a decision that is still queued ineffective.
export function queueDecision(
  context: RequestContext,
  {customerId, reviewCount}: CustomerRow,
  reviewInput: ReviewInput,
) {
  const review = reviewCount + 1
  context.database.run('update customers set reviewCount = ? where customerId = ?', review, customerId)
  const takesMs = reviewInput.magic?.includes('MANUAL_REVIEW') ? manualReviewDays * dayMs : reviewSeconds * secondMs
  enqueue(context, 'verification.decide', {customerId, review, ...reviewInput}, context.now + takesMs)
}

// The issues of the previous review stay until this one is decided: the interface shows them while UNDER_REVIEW.
export function beginReview(context: RequestContext, row: CustomerRow, reviewInput: ReviewInput, note?: ChangeNote) {
  moveCustomer(context, row, 'UNDER_REVIEW', readIssues(row), note)
  queueDecision(context, row, reviewInput)
}

// For data submitted when the customer is created. The reply to that request still says CREATED; the review starts
// right after it.
export function startReview(context: RequestContext, {customerId, ...reviewInput}: TaskPayloads['verification.start']) {
  const row = getCustomerRow(context.database, customerId)
  if (row.customerStatus === 'CREATED') beginReview(context, row, reviewInput)
}

// Does nothing if the review was decided in another way meanwhile, or if another review followed it.
export function decideReview(context: RequestContext, task: TaskPayloads['verification.decide']) {
  const {customerId, review, magic = [], mismatches = []} = task
  const row = getCustomerRow(context.database, customerId)
  if (row.customerStatus !== 'UNDER_REVIEW' || row.reviewCount !== review) return
  const {to, findings} =
    review === seededReview ? approved : (decideByMagic(magic) ?? decideByData(context, row, mismatches))
  const issues = findings.map((finding) => createIssue(finding, context.now))
  moveCustomer(context, row, to, issues)
  if (to === 'ACTIVE' && magic.includes('DEACTIVATE')) {
    enqueue(context, 'verification.deactivate', {customerId, review}, context.now + deactivationHours * hourMs)
  }
}

export function deactivate(context: RequestContext, {customerId, review}: TaskPayloads['verification.deactivate']) {
  const row = getCustomerRow(context.database, customerId)
  if (row.customerStatus === 'ACTIVE' && row.reviewCount === review) moveCustomer(context, row, 'DEACTIVATED', [])
}
