// Prints or writes what has become of every row of a batch.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import type {Result} from '../../cli/output/result.ts'
import {payoutView} from '../../payouts/run/view.ts'
import {readServiceTraits} from '../../transport.ts'

export default class PayoutsResult extends SvcCommand {
  static override view = payoutView
  static override summary = 'Show what has become of every row of a batch'
  static override description =
    'With --out, the rows are written as CSV, with the columns of the result file of `svc payouts run`. Rows that are not paid yet are NOT_TRIED.'
  static override examples = [
    {description: 'Write the result file', command: 'svc payouts result b7k2m9qxw --out payroll.result.csv'},
    {
      description: 'List the rows that were not made',
      command: `svc payouts result b7k2m9qxw -o jsonl --jq 'select(.state != "CREATED")'`,
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {batch: Args.string({description: 'Batch, by its id or name', required: true})}
  static override flags = {
    out: Flags.string({summary: 'Write the rows to this file', helpValue: 'FILE'}),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsResult)
    const traits = await readServiceTraits(await this.caller())
    const {openFleet} = await import('../../fleet/batches/open-fleet.ts')
    const {openBatchResults, writeBatchResults} = await import('../../fleet/batches/batch-result.ts')
    const fleet = await openFleet(traits.journal)
    const results = await openBatchResults(fleet, traits.serviceId, args.batch)
    if (results.openCount > 0) this.notice(`${results.openCount} rows of the batch have not ended yet.`)
    if (flags.out === undefined) return {kind: 'list', key: 'payouts', view: payoutView, pages: results.pages()}
    await writeBatchResults(results, flags.out)
    this.notice(`The outcome of every row is in ${flags.out}.`)
    return undefined
  }
}
