// Makes the schedules of a profile match a file: plans the changes, shows them, asks, and makes them.
import {ApplyCommand, createApplyFlags} from '../../cli/apply/apply-command.ts'
import {isChange} from '../../cli/apply/plan.ts'
import type {Result} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {type PlanStep, mayOweSlots, toPlanRow} from '../../fleet/schedules/plan.ts'
import {schedulePlanStyle, scheduleChangeView} from '../../fleet/schedules/plan-view.ts'
import {briefReads} from '../../customers/customer-names.ts'
import type {FleetDatabase} from '../../fleet/batches/open-fleet.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {describePlace} from '../../profiles/write-gate.ts'
import {readServiceTraits} from '../../transport.ts'

// What the workers will do at each slot.
const write = {method: 'POST', path: '/transactions', checksLimits: true, checksApprovals: true}

export default class SchedulesApply extends ApplyCommand {
  static override view = scheduleChangeView
  static override summary = 'Make the schedules of payments match a file'
  static override description = `The file is YAML or JSON, a list of schedules. Each has a name, a cron expression, a zone (UTC), and what it pays: \`pay\`, a plan as \`svc pay -f\` reads it, or its path; or \`payouts\`, the path of a payout file. Both are checked and stored now; a file that changes later has to be applied again.
Any worker (\`svc payouts work\`) pays the slots as they come, each once in the whole fleet. \`missed\` says what happens to slots that came while no worker ran: \`latest\` pays the latest of them, \`all\` pays all, \`skip\` none that is more than 15 minutes old.
Schedules are matched by name. A change does not touch slots that were handed out. --prune deletes the schedules that are not in the file. Needs a journal on PostgreSQL (\`svc docs fleet\`).`
  static override examples = [
    {description: 'Show what would change', command: 'svc schedules apply -f schedules.yaml --dry-run'},
    {description: 'Apply the file', command: 'svc schedules apply -f schedules.yaml'},
    {
      description: 'From a script, make the schedules match the file exactly',
      command: 'svc schedules apply -f schedules.yaml --prune --yes --json',
    },
  ]
  static override exits = getExitCodes('usage', 'limit')
  static override flags = createApplyFlags('schedules', 'Delete schedules that are not in the file', {})

  async run(): Promise<Result> {
    const {flags} = await this.parse(SchedulesApply)
    this.requireAll([!flags.file && '--file'])
    const {readScheduleFile} = await import('../../fleet/schedules/schedule-file.ts')
    const written = await readScheduleFile(flags.file ?? '', this.warningPolicy(flags))
    const caller = await this.writer()
    if (!flags['dry-run']) this.checkApply(caller, write, flags, 'schedules', 'changed')
    const traits = await readServiceTraits(caller)
    const {serviceId} = traits
    const [{withSchedules}, {findRowError, readScheduleRows}, changes] = await Promise.all([
      import('../../fleet/schedules/schedule.ts'),
      import('../../fleet/schedules/schedule-rows.ts'),
      import('../../fleet/schedules/change-schedules.ts'),
    ])
    return withSchedules(traits, async (fleet) => {
      const wanted = await readScheduleRows(written, {
        traits,
        connect: this.connector(caller),
        notice: (text) => this.notice(text),
      })
      const recordApproval = await this.requireApproval(caller, flags, async () => {
        const [{requireRulesApproval}, {createSchedulesSubject, listSchedulePayees, listScheduleParts}] =
          await Promise.all([
            import('../../payments/controls/require-approval.ts'),
            import('../../fleet/schedules/approvable-schedules.ts'),
          ])
        const subject = createSchedulesSubject(serviceId, wanted, flags)
        const destinations = listSchedulePayees(wanted)
        const parts = listScheduleParts(wanted, flags).map((part) => part.toString('hex'))
        return requireRulesApproval({caller, traits, subject, file: flags.file ?? '', destinations, parts})
      })
      const steps = await changes.planFile(fleet, serviceId, wanted, flags.prune)
      const changed = steps.flatMap((step) => (step.wanted && isChange(step) ? [step.wanted] : []))
      const failure = findRowError(caller, changed)
      if (steps.length === 0) this.notice('The file has no schedules.')
      this.notice(await changes.listOpenSlotNotices(fleet, steps))
      return this.applyPlan({
        flags,
        steps,
        toPlanRow,
        failure,
        recordApproval,
        style: schedulePlanStyle,
        view: scheduleChangeView,
        where: describePlace(caller),
        stopped: 'Stopped; nothing was changed',
        authorize: () => this.authorizeWrite(caller, write, true),
        apply: async () => {
          const rows = await changes.applySteps(fleet, serviceId, steps, () => this.#readSlotTime(caller, fleet, steps))
          const isPaying = changed.some(({terms}) => !terms.isPaused)
          const notice = isPaying ? await changes.describeLackOfWorkers(fleet, serviceId) : undefined
          if (notice !== undefined) this.notice(notice)
          return {rows}
        },
      })
    })
  }

  // Slots that have come are handed out before a change. The service is asked for its time only if there are any, and if it does not
  // answer, the clocks of the database and of this machine count.
  async #readSlotTime(caller: Caller, {database}: FleetDatabase, steps: readonly PlanStep[]): Promise<Date> {
    const [{readSlotTime}, {createServerClock}] = await Promise.all([
      import('../../fleet/schedules/slot-time.ts'),
      import('../../payments/protocol/service.ts'),
    ])
    const clock = createServerClock()
    const connect = this.connector(caller, briefReads)
    const client = await connect(({headers}) => clock.observeDate(headers.get('date')))
    const ask = () => client.customers.list({pageSize: 1}).catch(() => {})
    const isAsked = caller.baseUrl !== sandboxAddress && steps.some(mayOweSlots)
    return readSlotTime(database, isAsked ? {clock, isRecent: () => false, isTold: () => true, ask} : undefined)
  }
}
