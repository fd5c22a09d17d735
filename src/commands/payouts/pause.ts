// Pauses a batch: no further row of it is started.
import * as Args from '@oclif/core/args'
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {batchView, describeInFlight} from '../../fleet/batches/batch-view.ts'
import {readServiceTraits} from '../../transport.ts'
import {quoteForShell} from '../../values/text.ts'

export default class PayoutsPause extends SvcCommand {
  static override view = batchView
  static override summary = 'Start no further row of a batch'
  static override description = 'Rows that are being paid are finished, and those that may have been paid are settled.'
  static override examples = [
    {description: 'Pause a batch', command: 'svc payouts pause b7k2m9qxw'},
    {description: 'Pause a batch by its name', command: 'svc payouts pause november'},
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {batch: Args.string({description: 'Batch, by its id or name', required: true})}

  async run(): Promise<Result> {
    const {args} = await this.parse(PayoutsPause)
    const traits = await readServiceTraits(await this.caller())
    const {changeBatch} = await import('../../fleet/batches/control.ts')
    const summary = await changeBatch(traits, args.batch, {kind: 'pause'})
    this.notice(`The batch ${summary.id} is ${summary.state}${describeInFlight(summary, ': ')}.`)
    const next = `Next: \`svc payouts resume ${quoteForShell(summary.id)}\` goes on with it.`
    return this.showWithNotes(this.finishWrite(itemResult(summary, batchView)), [next])
  }
}
