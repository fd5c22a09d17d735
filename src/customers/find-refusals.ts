// Finds what verification is known to refuse, such as a missing government ID, before anything is sent. It is not a rule of
// the interface that svc enforces: the data may be sent all the same.
import type {z} from 'zod'
import {type Body, withValue} from '../values/body-paths.ts'
import type {Customer, kybData, kycData} from '../contract/customers.ts'
import {dataFields} from '../forms/verification.ts'
import {toIsoDate} from '../values/time.ts'
import {describeCode, getMeaning, reviewData} from '../values/review-data.ts'
import {findAddressMismatches} from '../values/verification-data.ts'

export interface Refusal {
  // The issue that verification would raise.
  code: string
  // A sentence. It names fields as the interface does, relative to the data.
  message: string
  // The parts of the body to correct, such as kycData.dateOfBirth. Empty if the code names none.
  paths: readonly string[]
  // What is wrong with the fields, without advice.
  reason: string
  // Every single field of the body to correct.
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

// The body must be valid otherwise. Documents may still be paths. Without data there is nothing to refuse.
export function findRefusals(body: Body, nowMs = Date.now()): Refusal[] {
  const type = findType(body)
  const root = type && dataFields[type]
  const data = root && (body[root] as VerificationData | undefined)
  if (!type || !data || Object.keys(data).length === 0) return []
  const findings = reviewData(type, data, toIsoDate(nowMs)).filter(({code}) => !ofSandboxAlone.has(code))
  return [
    ...findings.map(({code, message = describeCode(code), item, paths, reason, fields}) => ({
      code,
      message,
      paths: (paths ?? (item === undefined ? [] : [item])).map((path) => `${root}.${path}`),
      reason: reason ?? getMeaning(code),
      fields: fields.map((field) => `${root}.${field}`),
    })),
    ...findAddressMismatches(data).map(({code, path}) => ({
      code,
      message: `${path} is not known in this country. Correct it.`,
      paths: [`${root}.${path}`],
      reason: 'Not known in this country',
      fields: [`${root}.${path}`],
    })),
  ]
}

// Codes that say no more than that their fields are missing.
export const codesOfMissingFields: ReadonlySet<string> = new Set([
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

// One line for what is wrong, or one for each field that is missing.
export const formatRefusal = ({code, reason, fields}: Refusal): string[] =>
  codesOfMissingFields.has(code)
    ? fields.map((field) => `${field} is missing (${code})`)
    : [`${fields.join(', ')}: ${reason} (${code})`]

// Why verification would refuse a value of a field, given the rest of the body.
export function explainRefusal(body: Body, path: string, value: unknown): string | undefined {
  const found = findRefusals(withValue(body, path, value)).find(
    ({code, fields}) => !codesOfMissingFields.has(code) && fields.includes(path),
  )
  return found && `Verification is known to refuse it: ${found.reason}`
}
