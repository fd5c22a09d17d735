// Verification: a review begins with a submission, and later on the virtual clock it is decided.
import {dayOf} from '../../validation/dates.ts'
import type {Mismatch} from '../../validation/verification-data.ts'
import type {CustomerStatus} from '../../contract/customers.ts'
import {limits} from '../../contract/limits.ts'
import {moveCustomer} from './customer-status.ts'
import {type CustomerRow, customerRow, dataOf, type Issue} from './customer-store.ts'
import {type Finding, findingsIn, issueOf} from './issues.ts'
import {isIssueCode, type Magic} from './magic.ts'
import {enqueue} from '../time/queue.ts'
import type {RequestContext} from '../request-context.ts'

export {issueOf} from './issues.ts'

// What a submission brings along for its own review, beside the data, which is kept for later reviews too.
export interface Brought {
  magic?: readonly Magic[]
  // What does not belong to the country of its address: found when the data came, as only then the lists are loaded.
  mismatches?: readonly Mismatch[]
}

interface Review extends Brought {
  customerId: string
  // Which review of the customer it is, counted from one.
  review: number
}

export interface VerificationTasks {
  'verification.start': {customerId: string} & Brought
  'verification.decide': Review
  'verification.deactivate': {customerId: string; review: number}
}

// The interface calls "under 10 minutes" typical; a person at a sandbox does not want to wait that long.
export const reviewSeconds = 5
export const manualReviewDays = limits.manualReviewBusinessDaysMax
export const deactivationHours = 1

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs
const dayMs = 24 * hourMs

// Seeded customers came without a submission: their reviews have this number, and are by a person who approves.
const reviewSeeded = 0

interface Outcome {
  to: CustomerStatus
  findings: readonly Finding[]
}

const approved: Outcome = {to: 'ACTIVE', findings: []}
const unspecific: readonly Finding[] = [{code: 'VERIFICATION_ISSUE'}]

// What the magic of the submission comes to, in the order of its precedence.
function outcomeByMagic(magic: readonly Magic[]): Outcome | undefined {
  const findings = magic.filter(isIssueCode).map((code) => ({code}))
  if (magic.includes('REJECT')) return {to: 'REJECTED', findings: findings.length > 0 ? findings : unspecific}
  if (magic.includes('DEACTIVATE')) return approved
  if (findings.length > 0) return {to: 'NEEDS_ADDITIONAL_INFORMATION', findings}
  return magic.length > 0 ? approved : undefined
}

function outcomeByData(turn: RequestContext, row: CustomerRow, mismatches: readonly Mismatch[]): Outcome {
  const findings = [
    ...findingsIn(row.customerType, dataOf(turn.database, row.customerId), dayOf(turn.now)),
    ...mismatches.map(({code, path}) => ({code, message: `${path} is not known in this country. Correct it.`})),
  ]
  return findings.length === 0 ? approved : {to: 'NEEDS_ADDITIONAL_INFORMATION', findings}
}

const issuesOf = (findings: readonly Finding[], at: number): Issue[] =>
  findings.map(({code, message}) => issueOf(code, at, message))

// Counts a new review and queues its decision, so that an earlier one that is still queued comes to nothing.
export function queueDecision(turn: RequestContext, {customerId, reviewCount}: CustomerRow, brought: Brought) {
  const review = reviewCount + 1
  turn.database.run('update customers set reviewCount = ? where customerId = ?', review, customerId)
  const takesMs = brought.magic?.includes('MANUAL_REVIEW') ? manualReviewDays * dayMs : reviewSeconds * secondMs
  enqueue(turn, 'verification.decide', {customerId, review, ...brought}, turn.now + takesMs)
}

// The issues of the review before stay until this one is decided: the interface shows them while UNDER_REVIEW.
export function beginReview(turn: RequestContext, row: CustomerRow, brought: Brought) {
  moveCustomer(turn, row, 'UNDER_REVIEW', JSON.parse(row.issues) as Issue[])
  queueDecision(turn, row, brought)
}

// For data that came with the creation: the answer to that says CREATED, and right after it the review begins.
export function startReview(turn: RequestContext, {customerId, ...brought}: VerificationTasks['verification.start']) {
  const row = customerRow(turn.database, customerId)
  if (row.customerStatus === 'CREATED') beginReview(turn, row, brought)
}

// A review that was decided by other means meanwhile, or has been followed by another, is not decided again.
export function decideReview(turn: RequestContext, task: VerificationTasks['verification.decide']) {
  const {customerId, review, magic = [], mismatches = []} = task
  const row = customerRow(turn.database, customerId)
  if (row.customerStatus !== 'UNDER_REVIEW' || row.reviewCount !== review) return
  const {to, findings} =
    review === reviewSeeded ? approved : (outcomeByMagic(magic) ?? outcomeByData(turn, row, mismatches))
  moveCustomer(turn, row, to, issuesOf(findings, turn.now))
  if (to === 'ACTIVE' && magic.includes('DEACTIVATE')) {
    enqueue(turn, 'verification.deactivate', {customerId, review}, turn.now + deactivationHours * hourMs)
  }
}

export function deactivate(turn: RequestContext, {customerId, review}: VerificationTasks['verification.deactivate']) {
  const row = customerRow(turn.database, customerId)
  if (row.customerStatus === 'ACTIVE' && row.reviewCount === review) moveCustomer(turn, row, 'DEACTIVATED', [])
}
