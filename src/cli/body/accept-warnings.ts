// Rejects a body with problems. Those that svc finds beyond the interface are warnings: a person may answer yes, and a script
// gives --accept-warnings (docs/assumptions.md, X1).
import type {Problem} from '../../contract/problems.ts'
import {Declined, SvcError} from '../../errors.ts'
import {formatProblems, rejectProblems} from './reject-problems.ts'

export interface WarningPolicy {
  // --accept-warnings was given, or the person has seen the warnings in a wizard.
  isAccepted: boolean
  // Whether a person can be asked.
  canAsk: boolean
  notice: (text: string) => void
}

// Unknown fields are no problem if the caller allows them.
export const isAllowedField = ({kind}: Problem) => kind === 'unknownField' || kind === 'removedField'

function createWarningError(lines: readonly string[]): SvcError {
  const [only = ''] = lines
  return new SvcError({
    error: 'WARNINGS',
    kind: 'usage',
    message: lines.length === 1 ? only : `There are ${lines.length} warnings`,
    hint: 'Nothing was sent; if it is right, send it with --accept-warnings',
    ...(lines.length > 1 && {problems: lines}),
  })
}

export async function rejectUnlessAccepted(
  problems: readonly Problem[],
  shown: unknown,
  {isAccepted, canAsk, notice}: WarningPolicy,
): Promise<void> {
  if (problems.some(({isWarning}) => !isWarning)) rejectProblems(problems, shown)
  if (problems.length === 0) return
  const lines = formatProblems(problems, shown)
  if (!isAccepted && !canAsk) throw createWarningError(lines)
  for (const line of lines) notice(`Warning: ${line}.`)
  if (isAccepted) return
  const {askYes} = await import('../prompts/ask.ts')
  if (!(await askYes('Send it all the same?'))) throw new Declined()
}
