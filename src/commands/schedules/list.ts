// Lists the schedules of a profile, with their next slot and what became of the last one.
import {SvcCommand} from '../../cli/command.ts'
import {sortFlags} from '../../cli/flags/shared.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {scheduleView} from '../../fleet/schedules/schedule-view.ts'
import {readServiceTraits} from '../../transport.ts'

export default class SchedulesList extends SvcCommand {
  static override view = scheduleView
  static override summary = 'List the schedules and their next slots'
  static override description =
    'Each with its next slot, and the outcome of its last one. Slots are shown in UTC. `svc schedules runs` shows all of them.'
  static override examples = [
    {description: 'List the schedules', command: 'svc schedules list'},
    {
      description: 'Show the last outcome of each',
      command: `svc schedules list --json --jq '.schedules[] | {name, lastRun}'`,
    },
  ]
  static override exits = getExitCodes('usage')
  static override flags = {...sortFlags}

  async run(): Promise<Result> {
    await this.parse(SchedulesList)
    const traits = await readServiceTraits(await this.caller())
    const [{withSchedules}, {summarizeSchedules}] = await Promise.all([
      import('../../fleet/schedules/schedule.ts'),
      import('../../fleet/schedules/runs.ts'),
    ])
    const {schedules, notice} = await withSchedules(traits, summarizeSchedules)
    if (notice !== undefined) this.notice(notice)
    return listResult(schedules, 'schedules', scheduleView)
  }
}
