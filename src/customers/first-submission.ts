// Checks that a first submission is complete, because the service locks the data once it is submitted.
import {kycFieldsRequiredByFlow} from '../contract/flow-fields.frozen.ts'
import {Declined, badUsage} from '../errors.ts'
import type {Body} from '../values/body-paths.ts'
import {isRecord} from '../values/records.ts'

// Whether a value has any content. Nested objects without a value have none; an empty list has.
export const hasContent = (value: unknown): boolean =>
  isRecord(value) && !JSON.isRawJSON(value) ? Object.values(value).some(hasContent) : value !== undefined

// The contract names required fields for KYC only, none for KYB (docs/assumptions.md, C12).
const findMissingFields = (kycData: Body) =>
  kycFieldsRequiredByFlow.filter((field) => !hasContent(kycData[field])).map((field) => `kycData.${field}`)

const noGovernmentId =
  'There is no GOVERNMENT_ID among the documents; verification needs at least one government-issued photo ID.'

const hasGovernmentId = (documents: unknown) =>
  Array.isArray(documents) && documents.some((each) => isRecord(each) && each['type'] === 'GOVERNMENT_ID')

interface SubmissionFlags {
  // --partial: the submission is incomplete on purpose.
  partial: boolean
  'dry-run': boolean
  // --accept-warnings, or the person has seen them in a wizard.
  'accept-warnings': boolean
}

interface Terminal {
  isInteractive: boolean
  notice: (text: string) => void
}

// What is missing is a reason to stop, and is said in another way.
const codesOfMissingData: ReadonlySet<string> = new Set(['INVALID_PARAMETERS', 'MISSING_NAME', 'DOCUMENT_NOT_FOUND'])

async function noteRefusals(body: Body, notice: Terminal['notice']): Promise<void> {
  const {findRefusals, formatRefusal} = await import('./find-refusals.ts')
  const refusals = findRefusals(body).filter(
    ({code, paths}) => !codesOfMissingData.has(code) && !(code === 'NO_GOVERNMENT_ID' && paths.length === 0),
  )
  for (const line of refusals.flatMap(formatRefusal)) notice(`Verification is known to refuse this: ${line}`)
}

// Rejects an incomplete first submission, or asks for confirmation in a terminal. A dry run asks nothing.
export async function confirmFirstSubmission(
  body: Body,
  {partial, 'dry-run': isDryRun, 'accept-warnings': acceptsWarnings}: SubmissionFlags,
  {isInteractive, notice}: Terminal,
): Promise<void> {
  if (!acceptsWarnings) await noteRefusals(body, notice)
  const {kycData} = body
  if (!isRecord(kycData)) return
  if (!hasGovernmentId(kycData['documents'])) notice(noGovernmentId)
  const missing = findMissingFields(kycData)
  if (missing.length === 0 || partial) return
  const message = `A first submission locks the data, and this one lacks ${missing.join(', ')}`
  if (!isInteractive || isDryRun) {
    throw badUsage(message, 'Add them, or give --partial to submit without them; nothing was submitted')
  }
  notice(`${message}.`)
  const {askYes} = await import('../cli/prompts/ask.ts')
  if (!(await askYes(`Submit it without ${missing.length} of the required fields?`))) throw new Declined()
}
