// Finds what verification is known to refuse, such as a missing government ID, before anything is sent. It is not a rule of
// the interface that svc enforces: the data may be sent all the same.
import type {z} from 'zod'
import {type Body, getValue, withValue} from '../values/body-paths.ts'
import type {Customer, kybData, kycData} from '../contract/customers.ts'
import {dataFields} from '../forms/verification.ts'
import {toIsoDate} from '../values/time.ts'
import {getMeaning, reviewData} from '../values/review-data.ts'
import {findAddressMismatches} from '../values/verification-data.ts'
import {hasContent} from './validate-body.ts'

export interface Refusal {
  // The issue that verification would raise.
  code: string
  // What is wrong with the fields, without advice.
  reason: string
  // Every single field of the body to correct, such as kycData.dateOfBirth.
  fields: readonly string[]
}

type VerificationData = z.infer<typeof kycData> | z.infer<typeof kybData>

// Without a type, the data that the body carries says which it is.
function findType({customerType, kycData: kyc, kybData: kyb}: Body): Customer['customerType'] | undefined {
  if (customerType === 'INDIVIDUAL' || customerType === 'BUSINESS') return customerType
  if (kyc !== undefined) return 'INDIVIDUAL'
  return kyb === undefined ? undefined : 'BUSINESS'
}

// The interface shows only some kinds of documents. The sandbox refuses all that it does not know; another service may accept
// them (docs/assumptions.md, C18 and V10).
const ofSandboxAlone: ReadonlySet<string> = new Set(['UNRECOGNIZED_DOCUMENT'])

// Codes that say no more than that their fields are missing. Each field is a refusal of its own.
const codesOfMissingFields: ReadonlySet<string> = new Set([
  'INVALID_PARAMETERS',
  'MISSING_NAME',
  'MISSING_ID_DETAILS',
  'MISSING_DOCUMENT_NUMBER',
  'MISSING_ISSUE_DATE',
  'MISSING_EXPIRY_DATE',
  'DOCUMENT_MISSING_FRONT',
  'DOCUMENT_MISSING_BACK',
  'DOCUMENT_NOT_FOUND',
])

// The body must be valid otherwise. Documents may still be paths. Without data there is nothing to refuse.
export function findRefusals(body: Body, nowMs = Date.now()): Refusal[] {
  const type = findType(body)
  const root = type && dataFields[type]
  const data = root && (body[root] as VerificationData | undefined)
  if (!type || !data || Object.keys(data).length === 0) return []
  const findings = reviewData(type, data, toIsoDate(nowMs)).filter(({code}) => !ofSandboxAlone.has(code))
  return [
    ...findings.flatMap(({code, reason = getMeaning(code), fields: relative}): Refusal[] => {
      const fields = relative.map((field) => `${root}.${field}`)
      if (!codesOfMissingFields.has(code)) return [{code, reason, fields}]
      return fields.map((field) => ({code, reason: 'Missing', fields: [field]}))
    }),
    ...findAddressMismatches(data).map(({code, path}) => ({
      code,
      reason: 'Not known in this country',
      fields: [`${root}.${path}`],
    })),
  ]
}

// A correction may leave out what was submitted before, but a list replaces the earlier one.
const isOfCorrection = (code: string, field: string, body: Body) =>
  !(codesOfMissingFields.has(code) || code === 'NO_GOVERNMENT_ID') ||
  /\[\d+\]/.test(field) ||
  hasContent(getValue(body, field.split('.', 2).join('.')))

// Leaves out the fields that a correction does not send.
export const limitToCorrection = (refusals: readonly Refusal[], body: Body): Refusal[] =>
  refusals
    .map((refusal) => ({...refusal, fields: refusal.fields.filter((each) => isOfCorrection(refusal.code, each, body))}))
    .filter(({fields}) => fields.length > 0)

export const formatRefusal = ({code, reason, fields}: Refusal): string =>
  codesOfMissingFields.has(code)
    ? `${fields.join(', ')} is missing (${code})`
    : `${fields.join(', ')}: ${reason} (${code})`

// Why verification would refuse a value of a field, given the rest of the body.
export function explainRefusal(body: Body, path: string, value: unknown): string | undefined {
  const found = findRefusals(withValue(body, path, value)).find(
    ({code, fields}) => !codesOfMissingFields.has(code) && fields.includes(path),
  )
  return found && `Verification is known to refuse it: ${found.reason}`
}
