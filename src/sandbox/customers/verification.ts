// Verification: a review begins with a submission, and some seconds later on the virtual clock it is decided.
import {issueCodes} from '../../contract/issue-codes.ts'
import {kycFieldsRequiredByFlow} from '../../contract/verification-data.ts'
import {timestampOf} from '../time/clock.ts'
import {moveCustomer} from './customer-status.ts'
import {
  type CustomerRow,
  type CustomerType,
  customerRow,
  dataOf,
  type Issue,
  type KybData,
  type KycData,
  type VerificationData,
} from './customer-store.ts'
import {enqueue} from '../time/queue.ts'
import type {Turn} from '../turn.ts'

export interface VerificationTasks {
  'verification.start': {customerId: string}
  'verification.decide': {customerId: string; review: number}
}

// The interface calls "under 10 minutes" typical; a person at a sandbox does not want to wait that long.
export const reviewSeconds = 5
const millisecondsPerSecond = 1_000

// An address without these is no address. The postal code is left out: not every country has one.
const addressFieldsRequired = ['countryCode', 'streetLine1', 'city'] as const
const nameFields = new Set(['legalFirstName', 'legalLastName'])

const meanings = new Map(issueCodes.map(({code, meaning, resolution}) => [code, `${meaning}. ${resolution}.`]))

export const issueOf = (code: Issue['code'], detectedAt: number, message = meanings.get(code) ?? code): Issue => ({
  code,
  message,
  timestamp: timestampOf(detectedAt),
})

function missingInAddress(path: string, address: KycData['address']): string[] {
  if (!address) return [path]
  return addressFieldsRequired.filter((field) => address[field] === undefined).map((field) => `${path}.${field}`)
}

const invalidParameters = (missing: readonly string[], at: number) =>
  missing.length === 0 ? [] : [issueOf('INVALID_PARAMETERS', at, `Missing: ${missing.join(', ')}. Provide them.`)]

function issuesInKyc(data: KycData, at: number): Issue[] {
  const missing = kycFieldsRequiredByFlow.flatMap((field) =>
    field === 'address' ? missingInAddress(field, data.address) : field in data ? [] : [field],
  )
  const hasId = data.documents?.some(({type}) => type === 'GOVERNMENT_ID')
  return [
    ...(missing.some((field) => nameFields.has(field)) ? [issueOf('MISSING_NAME', at)] : []),
    ...invalidParameters(
      missing.filter((field) => !nameFields.has(field)),
      at,
    ),
    ...(hasId ? [] : [issueOf('NO_GOVERNMENT_ID', at)]),
  ]
}

// Which KYB fields are mandatory is not shown: these are assumed (docs/assumptions.md).
function issuesInKyb(data: KybData, at: number): Issue[] {
  return invalidParameters(
    [
      ...(data.businessInfo?.legalBusinessName === undefined ? ['businessInfo.legalBusinessName'] : []),
      ...missingInAddress('businessRegisteredAddress', data.businessRegisteredAddress),
      ...(data.associatedPersons?.length ? [] : ['associatedPersons']),
    ],
    at,
  )
}

const issuesIn = (customerType: CustomerType, data: VerificationData, at: number): Issue[] =>
  customerType === 'INDIVIDUAL' ? issuesInKyc(data, at) : issuesInKyb(data, at)

// The issues of the review before stay until this one is decided: the interface shows them while UNDER_REVIEW.
export function beginReview(turn: Turn, row: CustomerRow) {
  moveCustomer(turn, row, 'UNDER_REVIEW', JSON.parse(row.issues) as Issue[])
  const review = row.reviewCount + 1
  turn.database.run('update customers set reviewCount = ? where customerId = ?', review, row.customerId)
  const due = turn.now + reviewSeconds * millisecondsPerSecond
  enqueue(turn, 'verification.decide', {customerId: row.customerId, review}, due)
}

// For data that came with the creation: the answer to that says CREATED, and right after it the review begins.
export function startReview(turn: Turn, {customerId}: VerificationTasks['verification.start']) {
  const row = customerRow(turn.database, customerId)
  if (row.customerStatus === 'CREATED') beginReview(turn, row)
}

// A review that was decided by other means meanwhile, or has been followed by another, is not decided again.
export function decideReview(turn: Turn, {customerId, review}: VerificationTasks['verification.decide']) {
  const row = customerRow(turn.database, customerId)
  if (row.customerStatus !== 'UNDER_REVIEW' || row.reviewCount !== review) return
  const issues = issuesIn(row.customerType, dataOf(turn.database, customerId), turn.now)
  moveCustomer(turn, row, issues.length === 0 ? 'ACTIVE' : 'NEEDS_ADDITIONAL_INFORMATION', issues)
}
