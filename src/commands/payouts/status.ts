// Shows the batches of the fleet, or how far one of them is.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {badUsage, getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {wholeNumberParser} from '../../cli/flags/shared.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {batchView, renderBatchStatus} from '../../fleet/batches/batch-view.ts'
import {readServiceTraits} from '../../transport.ts'

const limitDefault = 20
const limitMax = 1000

export default class PayoutsStatus extends SvcCommand {
  static override view = batchView
  static override summary = 'Show batches, how far they are, and who works'
  static override description =
    'Without BATCH, the newest batches are listed. With --watch, the status of one is followed until all of its rows have ended; the exit code is then that of `svc payouts work --until-idle`.'
  static override examples = [
    {description: 'List the batches', command: 'svc payouts status'},
    {description: 'Follow one to its end', command: 'svc payouts status b7k2m9qxw --watch'},
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unknownOutcome', 'pending', 'partial')
  static override args = {batch: Args.string({description: 'Batch, by its id or name'})}
  static override flags = {
    watch: Flags.boolean({summary: 'Follow the batch until all of its rows have ended', env: 'SVC_WATCH'}),
    limit: Flags.custom<number>({
      summary: `How many batches to list (${limitDefault})`,
      env: 'SVC_LIMIT',
      helpValue: 'N',
      parse: wholeNumberParser(1, limitMax),
    })(),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsStatus)
    if (flags.watch && args.batch === undefined) throw badUsage('Missing BATCH', '--watch follows one batch')
    const traits = await readServiceTraits(await this.caller())
    const {listStatus, showStatus, watchStatus} = await import('../../fleet/batches/status.ts')
    if (args.batch === undefined) {
      const {batches, ...extraFields} = await listStatus(traits, flags.limit ?? limitDefault)
      return listResult(batches, 'batches', batchView, {extraFields})
    }
    const settings = {
      timeoutMs: flags.timeout,
      isQuiet: flags.quiet ?? false,
      notice: (text: string) => this.notice(text),
    }
    const {status, failure} = flags.watch
      ? await watchStatus(traits, args.batch, settings)
      : await showStatus(traits, args.batch)
    return {kind: 'item', value: status, view: batchView, render: renderBatchStatus, failure}
  }
}
