// Verification: a review begins with a submission, and later on the virtual clock it is decided.
import {toIsoDate} from '../../validation/dates.ts'
import type {AddressMismatch} from '../../validation/verification-data.ts'
import type {CustomerStatus} from '../../contract/customers.ts'
import {limits} from '../../contract/limits.ts'
import {moveCustomer} from './customer-status.ts'
import {type CustomerRow, getCustomerRow, readVerificationData, type Issue} from './customer-store.ts'
import {type Finding, reviewData, createIssue} from './issues.ts'
import {isIssueCode, type Magic} from './magic-values.ts'
import {enqueue} from '../time/queue.ts'
import type {ReviewInput, TaskPayloads} from '../time/task-payloads.ts'
import type {RequestContext} from '../request-context.ts'

export {createIssue as issueOf} from './issues.ts'

// The interface calls "under 10 minutes" typical; a person at a sandbox does not want to wait that long.
export const reviewSeconds = 5
export const manualReviewDays = limits.manualReviewBusinessDaysMax
export const deactivationHours = 1

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs

// Seeded customers came without a submission: their reviews have this number, and are by a person who approves.
const seededReview = 0

interface Outcome {
  to: CustomerStatus
  findings: readonly Finding[]
}

const approved: Outcome = {to: 'ACTIVE', findings: []}
const unspecifiedFindings: readonly Finding[] = [{code: 'VERIFICATION_ISSUE'}]

// What the magic of the submission comes to, in the order of its precedence.
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
    ...mismatches.map(({code, path}) => ({code, message: `${path} is not known in this country. Correct it.`})),
  ]
  return findings.length === 0 ? approved : {to: 'NEEDS_ADDITIONAL_INFORMATION', findings}
}

const toIssues = (findings: readonly Finding[], at: number): Issue[] =>
  findings.map(({code, message}) => createIssue(code, at, message))

// Counts a new review and queues its decision, so that an earlier one that is still queued comes to nothing.
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

// The issues of the review before stay until this one is decided: the interface shows them while UNDER_REVIEW.
export function beginReview(context: RequestContext, row: CustomerRow, reviewInput: ReviewInput) {
  moveCustomer(context, row, 'UNDER_REVIEW', JSON.parse(row.issues) as Issue[])
  queueDecision(context, row, reviewInput)
}

// For data that came with the creation: the answer to that says CREATED, and right after it the review begins.
export function startReview(context: RequestContext, {customerId, ...reviewInput}: TaskPayloads['verification.start']) {
  const row = getCustomerRow(context.database, customerId)
  if (row.customerStatus === 'CREATED') beginReview(context, row, reviewInput)
}

// A review that was decided by other means meanwhile, or has been followed by another, is not decided again.
export function decideReview(context: RequestContext, task: TaskPayloads['verification.decide']) {
  const {customerId, review, magic = [], mismatches = []} = task
  const row = getCustomerRow(context.database, customerId)
  if (row.customerStatus !== 'UNDER_REVIEW' || row.reviewCount !== review) return
  const {to, findings} =
    review === seededReview ? approved : (decideByMagic(magic) ?? decideByData(context, row, mismatches))
  moveCustomer(context, row, to, toIssues(findings, context.now))
  if (to === 'ACTIVE' && magic.includes('DEACTIVATE')) {
    enqueue(context, 'verification.deactivate', {customerId, review}, context.now + deactivationHours * hourMs)
  }
}

export function deactivate(context: RequestContext, {customerId, review}: TaskPayloads['verification.deactivate']) {
  const row = getCustomerRow(context.database, customerId)
  if (row.customerStatus === 'ACTIVE' && row.reviewCount === review) moveCustomer(context, row, 'DEACTIVATED', [])
}
