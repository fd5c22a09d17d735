// Shows what has become of the slots of schedules.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {wholeNumberParser} from '../../cli/flags/shared.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {runView} from '../../fleet/schedules/schedule-view.ts'
import {readServiceTraits} from '../../transport.ts'

const limitDefault = 20
const limitMax = 10_000

export default class SchedulesRuns extends SvcCommand {
  static override view = runView
  static override summary = 'Show what has become of the slots of schedules'
  static override description = `The newest slot comes first: when it was handed to the workers, by which process, as which batch, and what was paid. With --open, only slots that are not paid to the last row are shown: those under way, and those that need a person.
DONE is paid; SKIPPED slots were left out (missed, paused or deleted); UNKNOWN is settled by the workers. \`svc payouts status BATCH\` shows the rows of a slot, and \`svc payouts resume BATCH --failed\` tries those again that were not paid.`
  static override examples = [
    {description: 'Show the last slots of all schedules', command: 'svc schedules runs'},
    {description: 'Show those of one that need a look', command: 'svc schedules runs payroll --open --json'},
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {name: Args.string({description: 'Name of a schedule, also of one that was deleted'})}
  static override flags = {
    open: Flags.boolean({summary: 'Only slots that are not paid to the last row'}),
    limit: Flags.custom<number>({
      summary: `How many slots to show (${limitDefault})`,
      helpValue: 'N',
      parse: wholeNumberParser(1, limitMax),
    })(),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(SchedulesRuns)
    const traits = await readServiceTraits(await this.caller())
    const [{withSchedules}, {findRuns}] = await Promise.all([
      import('../../fleet/schedules/schedule.ts'),
      import('../../fleet/schedules/runs.ts'),
    ])
    const filter = {
      name: args.name,
      onlyOpen: flags.open,
      limit: flags.limit ?? limitDefault,
    }
    const runs = await withSchedules(traits, (fleet) => findRuns(fleet, filter))
    return listResult(runs, 'runs', runView)
  }
}
