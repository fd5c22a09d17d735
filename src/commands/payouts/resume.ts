// Resumes a batch that was paused, or tries its failed rows again.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {batchView, describeInFlight} from '../../fleet/batches/batch-view.ts'
import {readServiceTraits} from '../../transport.ts'
import {quoteForShell} from '../../values/text.ts'

export default class PayoutsResume extends SvcCommand {
  static override view = batchView
  static override summary = 'Go on with a batch that was paused'
  static override description =
    'With --failed, rows that were stopped, rejected or failed are tried again, also in a batch that is done. What the service refused may have been paid all the same, so such a row is unknown until a worker has looked at the list.'
  static override examples = [
    {description: 'Go on', command: 'svc payouts resume b7k2m9qxw'},
    {description: 'Try the failed rows again', command: 'svc payouts resume b7k2m9qxw --failed'},
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {batch: Args.string({description: 'Batch, by its id or name', required: true})}
  static override flags = {failed: Flags.boolean({summary: 'Try rows again that were stopped, rejected or failed'})}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsResume)
    const traits = await readServiceTraits(await this.caller())
    const {changeBatch} = await import('../../fleet/batches/control.ts')
    const summary = await changeBatch(traits, args.batch, {kind: 'resume', withFailed: flags.failed})
    this.notice(`The batch ${summary.id} is ${summary.state}${describeInFlight(summary, ': ')}.`)
    const next = `Next: \`svc payouts status ${quoteForShell(summary.id)} --watch\` follows it to its end.`
    return this.showWithNotes(this.finishWrite(itemResult(summary, batchView)), [next])
  }
}
