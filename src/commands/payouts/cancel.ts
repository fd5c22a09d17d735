// Cancels a batch: what was not started is not paid.
import type {Result} from '../../cli/output/result.ts'
import {ChangeBatchCommand, batchArgs} from '../../fleet/change-command.ts'
import {svc} from '../../values/text.ts'

export default class PayoutsCancel extends ChangeBatchCommand {
  static override summary = 'Pay nothing more of a batch'
  static override description =
    'Rows that are being paid are finished, and those that may have been paid are settled, never dropped. The file can be submitted again.'
  static override examples = [
    {description: 'Cancel a batch', command: 'svc payouts cancel b7k2m9qxw'},
    {description: 'Cancel a batch by its name', command: 'svc payouts cancel november'},
  ]
  static override args = batchArgs

  async run(): Promise<Result> {
    const {args} = await this.parse(PayoutsCancel)
    const next = (id: string) => `${svc`payouts status ${id} --rows`} shows what was paid of it.`
    return this.change(args.batch, 'cancel', next)
  }
}
