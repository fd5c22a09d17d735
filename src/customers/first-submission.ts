// The first submission of a customer locks the data, so what it lacks is said before it is sent.
import {kycFieldsRequiredByFlow} from '../contract/verification-data.ts'
import {Declined, badUsage} from '../errors.ts'
import type {Body} from '../cli/body/assignments.ts'

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

// Whether anything is said at all: objects within objects may all be empty. An empty list says something.
export const hasContent = (value: unknown): boolean =>
  isObject(value) && !JSON.isRawJSON(value) ? Object.values(value).some(hasContent) : value !== undefined

// The interface names fields that the flow requires for KYC alone; of KYB it shows none (docs/assumptions.md, C12).
const findMissingFields = (data: Body) =>
  kycFieldsRequiredByFlow.filter((field) => !hasContent(data[field])).map((field) => `kycData.${field}`)

const hasGovernmentId = ({documents}: Body) =>
  Array.isArray(documents) && documents.some((each: Body | null) => each?.['type'] === 'GOVERNMENT_ID')

interface SubmissionFlags {
  // --partial: an incomplete submission is meant.
  partial: boolean
  'dry-run': boolean
}

interface Terminal {
  isInteractive: boolean
  notice: (text: string) => void
}

// Lets a complete first submission pass, and an incomplete one only if that is meant. A dry run asks nobody.
export async function confirmFirstSubmission(
  body: Body,
  {partial, 'dry-run': isDryRun}: SubmissionFlags,
  {isInteractive: isThere, notice}: Terminal,
): Promise<void> {
  const data = body['kycData']
  if (!isObject(data)) return
  if (!hasGovernmentId(data)) {
    notice('There is no GOVERNMENT_ID among the documents; verification needs at least one government-issued photo ID.')
  }
  const lacking = findMissingFields(data)
  if (lacking.length === 0 || partial) return
  const what = `A first submission locks the data, and this one lacks ${lacking.join(', ')}`
  if (!isThere || isDryRun) throw badUsage(what, 'Add them, or say --partial if you mean it; nothing was submitted')
  notice(`${what}.`)
  const {askYes} = await import('../cli/prompts/ask.ts')
  if (!(await askYes(`Submit it without ${lacking.length} of the required fields?`))) throw new Declined()
}
