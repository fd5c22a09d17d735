// What happens to a request that is not sent: it is rejected with all of its problems at once, or a dry run shows it. Problems
// that svc finds beyond the interface are warnings: a person may answer yes, and a script gives --accept-warnings
// (docs/assumptions.md, X1).
import type {Problem} from '../../contract/problems.ts'
import {Declined, SvcError} from '../../errors.ts'
import {getValue} from '../../values/body-paths.ts'
import {isContainer} from '../../values/records.ts'
import {type Result, itemResult} from '../output/result.ts'

const foundLengthMax = 40

function describeFound(value: unknown): string {
  if (value === undefined || isContainer(value)) return ''
  const text = JSON.stringify(value)
  return ` (found ${text.length > foundLengthMax ? `${text.slice(0, foundLengthMax)}…` : text})`
}

// One line per problem, with the value that was found. `shown` is the body with personal data masked.
const formatProblems = (problems: readonly Problem[], shown: unknown): string[] =>
  problems.map(({path, message}) => `${path || 'the body'} ${message}${describeFound(getValue(shown, path))}`)

function createProblemsError(error: 'BAD_USAGE' | 'WARNINGS', lines: readonly string[], hint: string): SvcError {
  const [only = ''] = lines
  if (lines.length === 1) return new SvcError({error, kind: 'usage', message: only, hint})
  const message = `There are ${lines.length} ${error === 'WARNINGS' ? 'warnings' : 'problems'}`
  return new SvcError({error, kind: 'usage', message, hint, problems: lines})
}

export function rejectProblems(problems: readonly Problem[], shown: unknown): void {
  if (problems.length === 0) return
  throw createProblemsError('BAD_USAGE', formatProblems(problems, shown), 'Nothing was sent')
}

export interface WarningPolicy {
  // --accept-warnings was given, or the person has seen the warnings in a wizard.
  isAccepted: boolean
  // Whether a person can be asked.
  canAsk: boolean
  // --allow-unknown-fields was given.
  allowsUnknownFields?: boolean | undefined
  notice: (text: string) => void
}

// Unknown fields are no problem if the caller allows them.
export const omitAllowed = <P extends Problem>(
  problems: readonly P[],
  {allowsUnknownFields}: Pick<WarningPolicy, 'allowsUnknownFields'>,
): P[] => problems.filter(({kind}) => !allowsUnknownFields || (kind !== 'unknownField' && kind !== 'removedField'))

export async function rejectUnlessAccepted(
  found: readonly Problem[],
  shown: unknown,
  policy: WarningPolicy,
): Promise<void> {
  const {isAccepted, canAsk, notice} = policy
  const problems = omitAllowed(found, policy)
  if (problems.some(({isWarning}) => !isWarning)) rejectProblems(problems, shown)
  if (problems.length === 0) return
  const lines = formatProblems(problems, shown)
  if (!isAccepted && !canAsk) {
    throw createProblemsError('WARNINGS', lines, 'Nothing was sent; if it is right, send it with --accept-warnings')
  }
  for (const line of lines) notice(`Warning: ${line}.`)
  if (isAccepted) return
  const {askYes} = await import('../prompts/ask.ts')
  if (!(await askYes('Send it all the same?'))) throw new Declined()
}

// The result of a dry run: the request that would be sent.
interface UnsentRequest {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: unknown
}

export const toDryRunResult = ({method, path, headers, body}: UnsentRequest): Result =>
  itemResult({method, path, ...(headers && {headers}), ...(body !== undefined && {body})})
