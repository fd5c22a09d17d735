// Judges the body of a customer before it is sent, documents included: what the interface rejects, what is unusual, and what
// verification is known to refuse. `create` and `update` say it all at once, and send nothing without a yes or --accept-warnings.
import type {z} from 'zod'
import {omitAllowed} from '../cli/body/reject-problems.ts'
import {readCode} from '../contract/loose.ts'
import type {Problem} from '../contract/problems.ts'
import {dataFields} from '../forms/verification.ts'
import {type Body, getValue, isAtOrBelow, withValue} from '../values/body-paths.ts'
import {hasContent, lookUp} from '../values/records.ts'
import {validateEmail} from '../values/identifiers.ts'
import {getMeaning, reviewData} from '../values/review-data.ts'
import {toIsoDate} from '../values/time.ts'
import {type BodyValidation, validateBody} from '../values/validate-body.ts'
import {type Submissions, findAddressMismatches, validateVerificationData} from '../values/verification-data.ts'
import {attachDocuments, isDocumentPath, mapDocuments} from './documents.ts'
import type {SubmissionFlags} from './flags.ts'
import {maskPersonalData} from './mask-personal-data.ts'

// An individual submits KYC data, a business KYB data (docs/assumptions.md, C9).
const wrongDataByType: Readonly<Record<string, Problem>> = {
  INDIVIDUAL: {path: 'kybData', message: 'is for businesses: an individual submits kycData'},
  BUSINESS: {path: 'kycData', message: 'is for individuals: a business submits kybData'},
}

export function findTypeProblems(customerType: unknown, body: Body): Problem[] {
  const wrong = lookUp(wrongDataByType, readCode(customerType))
  return wrong && body[wrong.path] !== undefined ? [wrong] : []
}

function validate(schema: z.ZodType, body: Body): BodyValidation {
  const {problems, validPart} = validateBody(schema, body)
  const {kycData: kyc, kybData: kyb, email} = validPart as Partial<Submissions> & {email?: string}
  const today = toIsoDate(Date.now())
  const found = [
    ...problems,
    ...(kyc ? validateVerificationData(kyc, 'kycData', today) : []),
    ...(kyb ? validateVerificationData(kyb, 'kybData', today) : []),
    ...(email === undefined ? [] : [validateEmail('email', email) ?? []].flat()),
    ...findTypeProblems(body['customerType'], body),
  ]
  return {problems: found, validPart}
}

// Validates everything but the files of documents. Fast enough to run after every answer of a wizard.
export const findProblemsExceptFiles = (schema: z.ZodType, body: Body): Problem[] =>
  validate(
    schema,
    mapDocuments(body, (value) => (isDocumentPath(value) ? undefined : value)),
  ).problems

// What verification is known to refuse, such as a missing government ID. It is not a rule of the interface that svc enforces: the
// data may be sent all the same.
export interface Refusal extends Problem {
  // What is wrong, without advice.
  reason: string
  // A correction may leave out what was submitted before, but a list replaces the earlier one.
  isLeftOut: boolean
}

// The interface shows only some kinds of documents. The sandbox refuses all that it does not know; another service may accept
// them (docs/assumptions.md, C18 and V10).
const ofSandboxAlone: ReadonlySet<string> = new Set(['UNRECOGNIZED_DOCUMENT'])

// The body must be valid otherwise. Documents may still be paths. Without data there is nothing to refuse.
export function findRefusals(body: Body, nowMs = Date.now()): Refusal[] {
  const type = body['kybData'] === undefined ? 'INDIVIDUAL' : 'BUSINESS'
  const root = dataFields[type]
  const data = body[root] as Submissions['kycData'] | Submissions['kybData'] | undefined
  if (!data || Object.keys(data).length === 0) return []
  const findings = reviewData(type, data, toIsoDate(nowMs)).filter(({code}) => !ofSandboxAlone.has(code))
  const mismatches = findAddressMismatches(data).map(({code, path}) => ({
    code,
    reason: 'It is not known in this country',
    fields: [path],
  }))
  return [...findings, ...mismatches].flatMap(({code, reason = getMeaning(code), fields}): Refusal[] => {
    const missing = fields.filter((field) => getValue(data, field) === undefined)
    const isInList = (field: string) => /\[\d+\]/.test(field)
    const hasPart = (field: string) => hasContent(getValue(data, field.replace(/\..*$/, '')))
    return (missing.length > 0 ? missing : fields.slice(0, 1)).map((field) => ({
      path: `${root}.${field}`,
      message: `fails verification: ${reason} (${code})`,
      isWarning: true,
      reason,
      isLeftOut: missing.length > 0 && !isInList(field) && !hasPart(field),
    }))
  })
}

// Why verification would refuse a value of a field, given the rest of the body.
export function explainRefusal(body: Body, path: string, value: unknown): string | undefined {
  const found = findRefusals(withValue(body, path, value)).find((each) => each.path === path)
  return found && `Verification is known to refuse it: ${found.reason}`
}

export interface CheckedBody<T> {
  // The body as it would be sent. It has this type only if there are no problems.
  body: T
  // The same body with personal data masked.
  shown: Body
  // Everything that speaks against sending it: problems, and warnings such as a refusal.
  problems: Array<Problem & Partial<Refusal>>
}

// Reads the files of documents into the body, and judges the result.
export async function checkBody<Schema extends z.ZodType>(
  schema: Schema,
  given: Body,
  flags: Pick<SubmissionFlags, 'allow-unknown-fields'>,
): Promise<CheckedBody<z.input<Schema>>> {
  const {body, problems: fileProblems} = await attachDocuments(given)
  const {problems: found, validPart} = validate(schema, body)
  const problems = omitAllowed([...fileProblems, ...found], {allowsUnknownFields: flags['allow-unknown-fields']})
  // What has a problem of its own is not reported again. A body that is too large lacks some of its documents.
  const isReported = ({path}: Refusal) =>
    problems.some((each) => each.path === '' || isAtOrBelow(each.path, path) || isAtOrBelow(path, each.path))
  const refusals = findRefusals(validPart as Body).filter((each) => !isReported(each))
  return {
    body: body as z.input<Schema>,
    shown: maskPersonalData(body, schema),
    problems: [...problems, ...refusals],
  }
}
