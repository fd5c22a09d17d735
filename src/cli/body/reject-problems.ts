// Refuses a request before it is sent, with everything that is wrong with it at once.
import type {Problem} from '../../contract/problems.ts'
import {SvcError} from '../../errors.ts'

const foundLengthMax = 40

// What stands at a path such as kycData.documents[0].type, or undefined.
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

// A line for each problem, with what was found there. `shown` is the body as it may be shown: masked, where it holds personal
// data.
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
