// Makes the schedules of a profile match a file: plans the changes, shows them, asks, and makes them.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {acceptWarningsFlag, yesFlag} from '../../cli/flags/body-flags.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {SvcError, badUsage, getExitCodes} from '../../errors.ts'
import type {FleetDatabase} from '../../fleet/batches/open-fleet.ts'
import {type PlanStep, toPlanRow} from '../../fleet/schedules/plan.ts'
import {renderPlan, scheduleChangeView, summarizePlan} from '../../fleet/schedules/plan-view.ts'
import type {WantedSchedule} from '../../fleet/schedules/schedule-rows.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {describePlace, needsConfirmation} from '../../profiles/write-policy.ts'
import {readServiceTraits} from '../../transport.ts'

// What the workers will do at each slot.
const write = {method: 'POST', path: '/transactions', checksLimits: true, checksApprovals: true}

export default class SchedulesApply extends SvcCommand {
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
  static override flags = {
    file: Flags.string({
      char: 'f',
      summary: 'Read the schedules from a file, YAML or JSON (- for standard input)',
      helpValue: 'FILE',
    }),
    'dry-run': Flags.boolean({summary: 'Show what would change, without changing anything', env: 'SVC_DRY_RUN'}),
    prune: Flags.boolean({summary: 'Delete schedules that are not in the file'}),
    'accept-warnings': acceptWarningsFlag,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(SchedulesApply)
    this.requireAll([!flags.file && '--file'])
    const {readScheduleFile} = await import('../../fleet/schedules/schedule-file.ts')
    const written = await readScheduleFile(flags.file ?? '', this.warningPolicy(flags))
    const caller = await this.caller()
    if (!flags['dry-run']) this.#checkWrite(caller, flags)
    const traits = await readServiceTraits(caller)
    const {serviceId} = traits
    const [{withSchedules}, {findRowError, readScheduleRows}, changes, controls] = await Promise.all([
      import('../../fleet/schedules/schedule.ts'),
      import('../../fleet/schedules/schedule-rows.ts'),
      import('../../fleet/schedules/change-schedules.ts'),
      import('../../payments/controls/recorded-controls.ts'),
    ])
    return withSchedules(traits.journal, async (fleet) => {
      if (!flags['dry-run']) await controls.rejectControlsUnlikeJournal(caller, traits)
      const wanted = await readScheduleRows(written, {
        traits,
        connect: (onReply) => this.client(caller, {onReply}),
        notice: (text) => this.notice(text),
      })
      const recordApproval = await this.#requireApproval(caller, traits, wanted, flags)
      const steps = await changes.planFile(fleet, serviceId, wanted, flags.prune)
      const changed = steps.flatMap(({action, wanted: each}) => (each && action !== 'unchanged' ? [each] : []))
      const failure = findRowError(caller, changed)
      if (steps.length === 0) this.notice('The file has no schedules.')
      this.notice(await changes.listOpenSlotNotices(fleet, serviceId, steps))
      if (flags['dry-run'])
        return listResult(steps.map(toPlanRow), 'plan', scheduleChangeView, {render: renderPlan, failure})
      if (failure) throw failure
      await this.#confirm(caller, steps, flags.yes)
      if (steps.some(({action}) => action !== 'unchanged')) await recordApproval()
      return this.#apply(fleet, serviceId, steps)
    })
  }

  // A script needs --yes before anything is read. A person is asked after the plan is shown.
  #checkWrite(caller: Caller, {yes, prune}: {yes: boolean; prune: boolean}): void {
    this.checkWrite(caller, write, yes)
    if (prune && !yes && !this.isInteractive) {
      throw badUsage('--prune deletes schedules and needs confirmation', 'Add --yes to confirm; nothing was changed')
    }
  }

  // A dry run only says what is missing.
  async #requireApproval(
    caller: Caller,
    traits: ServiceTraits,
    wanted: readonly WantedSchedule[],
    flags: {file?: string | undefined; prune: boolean; 'dry-run': boolean},
  ): Promise<() => Promise<void>> {
    if (!caller.approvals && !caller.coolDownMs) return async () => {}
    const [{requireRulesApproval}, {createSchedulesSubject, listSchedulePayees}] = await Promise.all([
      import('../../payments/controls/require-approval.ts'),
      import('../../fleet/schedules/approvable-schedules.ts'),
    ])
    const subject = createSchedulesSubject(traits.serviceId, wanted, flags)
    const destinations = listSchedulePayees(wanted)
    try {
      return await requireRulesApproval({caller, traits, subject, file: flags.file ?? '', destinations})
    } catch (error) {
      if (!flags['dry-run'] || !(error instanceof SvcError) || error.kind !== 'limit') throw error
      this.notice(`${error.message}.`)
      return async () => {}
    }
  }

  async #confirm(caller: Caller, steps: readonly PlanStep[], yes: boolean): Promise<void> {
    if (steps.every(({action}) => action === 'unchanged')) {
      if (steps.length > 0) this.notice(summarizePlan(steps))
      return
    }
    const {confirmPlan, showPlan} = await import('../../fleet/schedules/change-schedules.ts')
    const needsAnswer = !yes && (needsConfirmation(caller, write) || steps.some(({action}) => action === 'delete'))
    if (needsAnswer || (this.format === 'table' && !this.flags.quiet)) await showPlan(steps)
    if (needsAnswer) await confirmPlan(steps, describePlace(caller))
    await this.authorizeWrite(caller, write, true)
  }

  async #apply(fleet: FleetDatabase, serviceId: string, steps: readonly PlanStep[]): Promise<Result> {
    const {applySteps, describeLackOfWorkers} = await import('../../fleet/schedules/change-schedules.ts')
    const applied = await applySteps(fleet, serviceId, steps)
    // People have seen the plan and need only its outcome; scripts get every schedule.
    const isForPeople = this.format === 'table'
    const rows = isForPeople ? applied.filter(({action}) => action !== 'unchanged') : applied
    const isPaying = steps.some(({action, wanted}) => action !== 'unchanged' && wanted && !wanted.terms.isPaused)
    const notice = isPaying ? await describeLackOfWorkers(fleet, serviceId) : undefined
    if (notice !== undefined) this.notice(notice)
    const render = isForPeople && rows.length === 0 ? () => '' : undefined
    return this.finishWrite(listResult(rows, 'applied', scheduleChangeView, {render}))
  }
}
