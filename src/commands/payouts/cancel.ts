// Cancels a batch: what was not started is not paid.
import * as Args from '@oclif/core/args'
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {batchView, describeCancelled} from '../../fleet/batches/batch-view.ts'
import {readServiceTraits} from '../../transport.ts'
import {quoteForShell} from '../../values/text.ts'

export default class PayoutsCancel extends SvcCommand {
  static override view = batchView
  static override summary = 'Pay nothing more of a batch'
  static override description =
    'Rows that are being paid are finished, and those that may have been paid are settled, never dropped. The file can be submitted again.'
  static override examples = [
    {description: 'Cancel a batch', command: 'svc payouts cancel b7k2m9qxw'},
    {description: 'Cancel a batch by its name', command: 'svc payouts cancel november'},
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {batch: Args.string({description: 'Batch, by its id or name', required: true})}

  async run(): Promise<Result> {
    const {args} = await this.parse(PayoutsCancel)
    const traits = await readServiceTraits(await this.caller())
    const {changeBatch} = await import('../../fleet/batches/control.ts')
    const summary = await changeBatch(traits, args.batch, {kind: 'cancel'})
    this.notice(`The batch ${summary.id} is ${summary.state}: ${describeCancelled(summary)}.`)
    const next = `Next: \`svc payouts status ${quoteForShell(summary.id)} --rows\` shows what was paid of it.`
    return this.showWithNotes(this.finishWrite(itemResult(summary, batchView)), [next])
  }
}
