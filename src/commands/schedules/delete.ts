// Deletes schedules. Slots that were handed to the workers are finished.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {confirmPlan, renderPlan, showPlan} from '../../cli/apply/plan.ts'
import {SvcCommand} from '../../cli/command.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {type PlanRow, toPlanRow} from '../../fleet/schedules/plan.ts'
import {scheduleChangeView, schedulePlanStyle} from '../../fleet/schedules/plan-view.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {readServiceTraits} from '../../transport.ts'

export default class SchedulesDelete extends SvcCommand {
  static override view = scheduleChangeView
  static override summary = 'Delete a schedule'
  static override description = `No further slot of it is paid, not even one that has come and that no worker has seen. A slot that was handed to the workers is finished; \`svc payouts cancel BATCH\` stops it. \`svc schedules runs NAME\` still shows its slots.
In a terminal, svc asks first. Scripts need --yes on a live profile.`
  static override examples = [
    {description: 'Delete a schedule, with confirmation', command: 'svc schedules delete rent'},
    {description: 'Delete a schedule from a script', command: 'svc schedules delete rent --yes --json'},
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {name: Args.string({description: 'Name of the schedule', required: true})}
  static override flags = {
    'dry-run': Flags.boolean({summary: 'Show what would be deleted, without deleting it', env: 'SVC_DRY_RUN'}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(SchedulesDelete)
    const caller = await this.writer()
    if (!flags.yes && !flags['dry-run'] && !this.isInteractive && caller.environment === 'live') {
      throw badUsage(`Deleting the schedule ${args.name} needs a yes`, 'Say --yes if you mean it; nothing was changed')
    }
    const traits = await readServiceTraits(caller)
    const {serviceId} = traits
    const [{withSchedules}, changes] = await Promise.all([
      import('../../fleet/schedules/schedule.ts'),
      import('../../fleet/schedules/change-schedules.ts'),
    ])
    return withSchedules(traits, async (fleet) => {
      const steps = await changes.planNamedDeletion(fleet, serviceId, args.name)
      this.notice(await changes.listOpenSlotNotices(fleet, steps))
      if (flags['dry-run']) {
        const render = (rows: PlanRow[], painter: Painter, width?: number) =>
          renderPlan(rows, schedulePlanStyle, painter, width)
        return listResult(steps.map(toPlanRow), 'plan', scheduleChangeView, {render})
      }
      if (this.isInteractive && !flags.yes) {
        await showPlan(steps.map(toPlanRow), schedulePlanStyle)
        await confirmPlan(steps, schedulePlanStyle, describePlace(caller), 'Stopped; nothing was changed')
      }
      const applied = await changes.applySteps(fleet, serviceId, steps)
      return this.finishWrite(listResult(applied, 'applied', scheduleChangeView))
    })
  }
}
