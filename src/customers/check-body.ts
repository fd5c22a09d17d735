// Judges the body of a customer before it is sent: problems, warnings, and what verification is known to refuse. `create` and
// `update` say it, and send nothing without a yes or --accept-warnings.
import type {z} from 'zod'
import type {Body} from '../values/body-paths.ts'
import {type WarningPolicy, formatProblems, isAllowedField} from '../cli/body/reject-problems.ts'
import type {Problem} from '../contract/problems.ts'
import {Declined, SvcError} from '../errors.ts'
import {validateBody} from '../values/validate-body.ts'
import {isDocumentPath, mapDocuments} from './documents/document-fields.ts'
import {findRefusals, formatRefusal, limitToCorrection} from './find-refusals.ts'
import type {ValidatedBody} from './validate-body.ts'
import {countNoun} from '../values/text.ts'

interface CheckOptions {
  // The body corrects data that was submitted before, so it need not be complete.
  isPartial: boolean
  allowsUnknownFields: boolean
}

// One line each.
export interface Readiness {
  // The request itself would be rejected.
  problems: string[]
  // What is unusual.
  warnings: string[]
  // What verification is known to refuse.
  refusals: string[]
}

const isWithin = (path: string, part: string) =>
  `${path}.`.replaceAll('[', '.').startsWith(`${part}.`.replaceAll('[', '.'))

// What has a problem of its own is not reported again.
const isReported = (field: string, problems: readonly Problem[]) =>
  problems.some(({path}) => isWithin(path, field) || isWithin(field, path))

// A file that is named counts as a document here. Whether it can be used is a problem of its own.
const anyImage = 'data:image/png;base64,'

function listRefusals(schema: z.ZodType, given: Body, problems: readonly Problem[], isPartial: boolean): string[] {
  const named = mapDocuments(given, (value) => (isDocumentPath(value) ? anyImage : value))
  const {validPart} = validateBody(schema, named)
  const found = findRefusals(validPart as Body)
  return (isPartial ? limitToCorrection(found, given) : found)
    .map((refusal) => ({...refusal, fields: refusal.fields.filter((field) => !isReported(field, problems))}))
    .filter(({fields}) => fields.length > 0)
    .map(formatRefusal)
}

export function describeReadiness(
  schema: z.ZodType,
  given: Body,
  {shown, problems: found}: Pick<ValidatedBody<unknown>, 'shown' | 'problems'>,
  {isPartial, allowsUnknownFields}: CheckOptions,
): Readiness {
  const problems = allowsUnknownFields ? found.filter((problem) => !isAllowedField(problem)) : found
  const list = (isWarning: boolean) =>
    formatProblems(
      problems.filter((problem) => (problem.isWarning ?? false) === isWarning),
      shown,
    )
  return {problems: list(false), warnings: list(true), refusals: listRefusals(schema, given, problems, isPartial)}
}

const countReasons = ({problems, warnings, refusals}: Readiness) =>
  [
    ...(problems.length > 0 ? [countNoun(problems.length, 'problem')] : []),
    ...(warnings.length > 0 ? [countNoun(warnings.length, 'warning')] : []),
    ...(refusals.length > 0 ? [`${countNoun(refusals.length, 'reason')} for verification to refuse it`] : []),
  ].join(', ')

const listLines = ({problems, warnings, refusals}: Readiness) => [
  ...problems,
  ...warnings.map((line) => `Warning: ${line}`),
  ...refusals.map((line) => `Verification: ${line}`),
]

function createUnreadyError(readiness: Readiness): SvcError {
  const isDoubtOnly = readiness.problems.length === 0
  return new SvcError({
    error: isDoubtOnly ? 'WARNINGS' : 'BAD_USAGE',
    kind: 'usage',
    message: `Not ready: ${countReasons(readiness)}`,
    hint: isDoubtOnly
      ? 'Nothing was sent; correct it, or accept it with --accept-warnings'
      : 'Nothing was sent; correct it and check it again',
    problems: listLines(readiness),
  })
}

// Throws if the request itself would be rejected. Doubts do not matter here.
export function rejectUnready(readiness: Readiness): void {
  if (readiness.problems.length > 0) throw createUnreadyError(readiness)
}

// What is left to confirm if a person has confirmed some of it.
export const omitConfirmed = (readiness: Readiness, confirmed: Readiness): Readiness => ({
  problems: readiness.problems,
  warnings: readiness.warnings.filter((line) => !confirmed.warnings.includes(line)),
  refusals: readiness.refusals.filter((line) => !confirmed.refusals.includes(line)),
})

// After a wizard, whose review has shown the doubts.
export const reviewedPolicy: WarningPolicy = {isAccepted: true, canAsk: false, notice: () => {}}

// The same, and a person is asked about the doubts. If nobody can be asked, they have to be accepted already. What is found only
// by looking it up (`listMore`) is said along with the rest.
export async function confirmReady(
  readiness: Readiness,
  {isAccepted, canAsk, notice}: WarningPolicy,
  listMore: () => Promise<string[]> = async () => [],
): Promise<void> {
  const lines = listLines(readiness)
  if (lines.length === 0) return
  if (readiness.problems.length > 0 || (!isAccepted && !canAsk)) {
    throw createUnreadyError({...readiness, warnings: [...readiness.warnings, ...(await listMore())]})
  }
  if (!isAccepted) notice(`Not ready: ${countReasons(readiness)}.`)
  for (const line of lines) notice(isAccepted ? `Warning: ${line.replace(/^\w+: /, '')}` : `  ${line}`)
  if (isAccepted) return
  const {askYes} = await import('../cli/prompts/ask.ts')
  if (!(await askYes('Send it all the same? Data that is sent is locked while it is verified'))) throw new Declined()
}
