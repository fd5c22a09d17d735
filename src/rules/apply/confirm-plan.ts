// Shows a plan, asks for one confirmation of all of it, and prints a notice if applying it is interrupted.
import {interrupted} from '../../errors.ts'
import {askYes} from '../../cli/prompts/ask.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {type ExitNotice, withExitNotice} from '../../cli/exit-notice.ts'
import {writeErrUncleaned} from '../../cli/output/streams.ts'
import {renderPlan} from './plan-view.ts'
import {type PlanStep, toPlanRow} from './plan.ts'

// On standard error, because standard output is for the result.
export async function showPlan(steps: readonly PlanStep[]): Promise<void> {
  const painter = await createPainter(process.stderr)
  writeErrUncleaned(renderPlan(steps.map(toPlanRow), painter, process.stderr.columns))
}

export async function confirmPlan(steps: readonly PlanStep[], where: string): Promise<void> {
  const deletions = steps.filter(({action}) => action === 'delete').length
  const question = deletions > 0 ? `Apply this plan, which deletes ${deletions}, on` : 'Apply this plan on'
  if (!(await askYes(`${question} ${where}?`))) throw interrupted()
}

const interruptionNotice: ExitNotice = {
  message: 'Interrupted; some changes may have been made',
  hint: 'Run the command again: it does only what remains to be done',
}

export const withInterruptionNotice = <T>(work: Promise<T>): Promise<T> =>
  withExitNotice(() => interruptionNotice, work)
