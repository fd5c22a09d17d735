// Goes on with a batch that was paused, or tries its failed rows again.
import * as Flags from '@oclif/core/flags'
import type {Result} from '../../cli/output/result.ts'
import {ChangeBatchCommand, batchArgs} from '../../fleet/change-command.ts'
import {svc} from '../../values/text.ts'

export default class PayoutsResume extends ChangeBatchCommand {
  static override summary = 'Go on with a batch that was paused'
  static override description =
    'With --failed, rows that were stopped, rejected or failed are tried again, also in a batch that is done. What the service refused may have been paid all the same, so such a row is unknown until a worker has looked at the list.'
  static override examples = [
    {description: 'Go on', command: 'svc payouts resume b7k2m9qxw'},
    {description: 'Try the failed rows again', command: 'svc payouts resume b7k2m9qxw --failed'},
  ]
  static override args = batchArgs
  static override flags = {failed: Flags.boolean({summary: 'Try rows again that were stopped, rejected or failed'})}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsResume)
    const next = (id: string) => `${svc`payouts status ${id} --watch`} follows it to its end.`
    return this.change(args.batch, flags.failed ? 'resume failed' : 'resume', next)
  }
}
