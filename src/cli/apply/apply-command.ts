// What commands share that make the things that exist match a file: plan, show, ask, record the approvals, apply, report.
import * as Flags from '@oclif/core/flags'
import {SvcError, badUsage} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {WriteRequest} from '../../profiles/write-gate.ts'
import {SvcCommand} from '../command.ts'
import {acceptWarningsFlag, yesFlag} from '../flags/body-flags.ts'
import type {Painter} from '../output/colour.ts'
import {type Result, listResult} from '../output/result.ts'
import type {View} from '../output/view.ts'
import {type PlanStyle, type PlannedStep, confirmPlan, isChange, renderPlan, showPlan, summarizePlan} from './plan.ts'

// `more` are those of one command.
export const createApplyFlags = <More extends object>(plural: string, pruneSummary: string, more: More) => ({
  file: Flags.string({
    char: 'f',
    summary: `Read the ${plural} from a file, YAML or JSON (- for standard input)`,
    helpValue: 'FILE',
  }),
  'dry-run': Flags.boolean({summary: 'Show what would change, without changing anything', env: 'SVC_DRY_RUN'}),
  ...more,
  prune: Flags.boolean({summary: pruneSummary}),
  'accept-warnings': acceptWarningsFlag,
  yes: yesFlag,
})

export interface ApplyFlags {
  file?: string | undefined
  'dry-run': boolean
  prune: boolean
  yes: boolean
}

type RecordApproval = () => Promise<void>

// A plan, and how it becomes true. Rows are what is printed of a step, or of its outcome.
interface FilePlan<Step extends PlannedStep, PlanRow extends PlannedStep, Row extends PlannedStep> {
  flags: ApplyFlags
  steps: readonly Step[]
  toPlanRow: (step: Step) => PlanRow
  style: PlanStyle<PlanRow>
  view: View<PlanRow | Row>
  // Why the plan cannot be applied.
  failure: SvcError | undefined
  where: string
  // What an answer other than yes says.
  stopped?: string
  recordApproval: RecordApproval
  // Lets the writes of the steps pass.
  authorize: () => Promise<void>
  apply: () => Promise<{rows: readonly Row[]; failure?: SvcError | undefined}>
}

export abstract class ApplyCommand extends SvcCommand {
  static override enableJsonFlag = false

  // A script needs --yes before anything is read. A person is asked after the plan is shown.
  protected checkApply(
    caller: Caller,
    write: WriteRequest,
    {yes, prune}: ApplyFlags,
    plural: string,
    done: string,
  ): void {
    this.checkWrite(caller, write, yes)
    if (prune && !yes && !this.isInteractive) {
      throw badUsage(`--prune deletes ${plural} and needs confirmation`, `Add --yes to confirm; nothing was ${done}`)
    }
  }

  // A dry run only says what is missing.
  protected async requireApproval(
    caller: Caller,
    flags: ApplyFlags,
    require: () => Promise<RecordApproval>,
  ): Promise<RecordApproval> {
    const recordNothing = async () => {}
    if (!caller.approvals && !caller.coolDownMs) return recordNothing
    try {
      return await require()
    } catch (error) {
      if (!flags['dry-run'] || !(error instanceof SvcError) || error.kind !== 'limit') throw error
      this.notice(`${error.message}.`)
      return recordNothing
    }
  }

  protected async applyPlan<Step extends PlannedStep, PlanRow extends PlannedStep, Row extends PlannedStep>(
    plan: FilePlan<Step, PlanRow, Row>,
  ): Promise<Result> {
    const {steps, style, view, failure} = plan
    const planRows = steps.map(plan.toPlanRow)
    if (plan.flags['dry-run']) {
      const render = (rows: PlanRow[], painter: Painter, width?: number) => renderPlan(rows, style, painter, width)
      return listResult<PlanRow>(planRows, 'plan', view, {render, failure})
    }
    if (failure) throw failure
    if (steps.some(isChange)) {
      await this.#confirm(plan, planRows)
      await plan.recordApproval()
    } else if (steps.length > 0) this.notice(summarizePlan(steps, style))
    const applied = await plan.apply()
    // People have seen the plan and need only its outcome; scripts get every row.
    const isForPeople = this.format === 'table'
    const rows = applied.rows.filter((row) => !isForPeople || isChange(row))
    const render = isForPeople && rows.length === 0 ? () => '' : undefined
    return this.finishWrite(listResult<Row>(rows, 'applied', view, {render, failure: applied.failure}))
  }

  async #confirm<Step extends PlannedStep, PlanRow extends PlannedStep, Row extends PlannedStep>(
    {flags, style, where, stopped, authorize}: FilePlan<Step, PlanRow, Row>,
    rows: readonly PlanRow[],
  ): Promise<void> {
    const needsAnswer = !flags.yes && this.isInteractive
    if (needsAnswer || (this.format === 'table' && !this.flags.quiet)) await showPlan(rows, style)
    if (needsAnswer) await confirmPlan(rows, style, where, stopped)
    await authorize()
  }
}
