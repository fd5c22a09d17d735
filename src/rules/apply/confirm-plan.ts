// Shows a plan to whoever waits for it, asks a person for one yes to the whole of it, and says what to do if it is cut short.
import {interrupted} from '../../errors.ts'
import {askYes} from '../../cli/prompts/ask.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {type ExitNotice, withExitNotice} from '../../cli/exit-notice.ts'
import {writeErrUncleaned} from '../../cli/output/streams.ts'
import {renderPlan} from './plan-view.ts'
import {type PlanStep, toPlanRow} from './plan.ts'

// On standard error, since what the command returns is what became of it.
export async function showPlan(steps: readonly PlanStep[]): Promise<void> {
  const painter = await createPainter(process.stderr)
  writeErrUncleaned(renderPlan(steps.map(toPlanRow), painter, process.stderr.columns))
}

export async function confirmPlan(steps: readonly PlanStep[], where: string): Promise<void> {
  const deletions = steps.filter(({action}) => action === 'delete').length
  const what = deletions > 0 ? `Apply this plan, with ${deletions} to delete, on` : 'Apply this plan on'
  if (!(await askYes(`${what} ${where}?`))) throw interrupted()
}

const interruptionNotice: ExitNotice = {
  message: 'Stopped on the way; some changes may be made',
  hint: 'Run it again: it does only what is still to do',
}

// A process that is told to stop in the middle of the work leaves at once, and leaves these words.
export const withInterruptionNotice = <T>(work: Promise<T>): Promise<T> =>
  withExitNotice(() => interruptionNotice, work)
