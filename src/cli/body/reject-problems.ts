// Rejects a request before it is sent, with all of its problems at once.
import type {Problem} from '../../contract/problems.ts'
import {SvcError} from '../../errors.ts'

const foundLengthMax = 40

// The value at a path such as kycData.documents[0].type, or undefined.
function getPath(body: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '')
  return keys.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    body,
  )
}

function describeFound(value: unknown): string {
  if (value === undefined || (typeof value === 'object' && value !== null && !JSON.isRawJSON(value))) return ''
  const text = JSON.stringify(value)
  return ` (found ${text.length > foundLengthMax ? `${text.slice(0, foundLengthMax)}…` : text})`
}

// One line per problem, with the value that was found. `shown` is the body with personal data masked.
export const formatProblems = (problems: readonly Problem[], shown: unknown): string[] =>
  problems.map(({path, message}) => `${path || 'the body'} ${message}${describeFound(getPath(shown, path))}`)

export function rejectProblems(problems: readonly Problem[], shown: unknown): void {
  if (problems.length === 0) return
  const lines = formatProblems(problems, shown)
  const [only = ''] = lines
  throw new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message: lines.length === 1 ? only : `There are ${lines.length} problems`,
    hint: 'Nothing was sent',
    ...(lines.length > 1 && {problems: lines}),
  })
}
