// Pauses a batch: no further row of it is started.
import type {Result} from '../../cli/output/result.ts'
import {ChangeBatchCommand, batchArgs} from '../../fleet/change-command.ts'
import {svc} from '../../values/text.ts'

export default class PayoutsPause extends ChangeBatchCommand {
  static override summary = 'Start no further row of a batch'
  static override description = 'Rows that are being paid are finished, and those that may have been paid are settled.'
  static override examples = [
    {description: 'Pause a batch', command: 'svc payouts pause b7k2m9qxw'},
    {description: 'Pause a batch by its name', command: 'svc payouts pause november'},
  ]
  static override args = batchArgs

  async run(): Promise<Result> {
    const {args} = await this.parse(PayoutsPause)
    const next = (id: string) => `${svc`payouts resume ${id}`} goes on with it.`
    return this.change(args.batch, 'pause', next)
  }
}
