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
    'With --out, the rows are written as CSV, with the columns of the result file of `svc payouts run`. Rows that are not paid yet are NOT_TRIED, and those that a worker has taken IN_PROGRESS. Ends with code 7 if rows may have been paid and their outcome is not known yet, and with 8 if others have not ended.'
  static override examples = [
    {description: 'Write the result file', command: 'svc payouts result b7k2m9qxw --out payroll.result.csv'},
    {
      description: 'List the rows that were not made',
      command: `svc payouts result b7k2m9qxw -o jsonl --jq 'select(.state != "CREATED")'`,
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unknownOutcome', 'pending')
  static override args = {batch: Args.string({description: 'Batch, by its id or name', required: true})}
  static override flags = {
    out: Flags.string({summary: 'Write the rows to this file', helpValue: 'FILE'}),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsResult)
    const traits = await readServiceTraits(await this.caller())
    const [{withFleetReader}, {openBatchResults, writeBatchResults}] = await Promise.all([
      import('../../fleet/batches/report-rows.ts'),
      import('../../fleet/batches/batch-result.ts'),
    ])
    return withFleetReader(traits, async (fleet) => {
      const results = await openBatchResults(fleet, args.batch)
      if (flags.out === undefined) {
        // Printed while the database is open, some rows at a time.
        await this.show({kind: 'list', key: 'payouts', view: payoutView, pages: results.pages()})
      } else await writeBatchResults(results, flags.out)
      const failure = results.findError()
      if (flags.out !== undefined) this.notice(results.describeFile(flags.out))
      if (failure) throw failure
      return undefined
    })
  }
}
