// Prints or writes what has become of every row of a payout file or a batch.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {PartyNames} from '../../accounts/account-names.ts'
import {withPartyNames} from '../../accounts/name-columns.ts'
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {namesFlags} from '../../cli/flags/shared.ts'
import type {Result} from '../../cli/output/result.ts'
import {briefReads} from '../../customers/customer-names.ts'
import type {PayoutResults} from '../../payouts/run/report-file.ts'
import {getPayee, payoutView, showFilled} from '../../payouts/run/view.ts'
import {readServiceTraits} from '../../transport.ts'

export default class PayoutsResult extends SvcCommand {
  static override view = payoutView
  static override summary = 'Show what has become of every row of a payout file or a batch'
  static override description =
    'The rows of a file are as the journal has them now, after any number of runs; nothing is paid. With --out, they are written as CSV, with the columns of the result file of `svc payouts run`. Rows that are not paid yet are NOT_TRIED, and those that another process or a worker has taken IN_PROGRESS. Ends with code 7 if rows may have been paid and their outcome is not known yet, and with 8 if others have not ended.'
  static override examples = [
    {description: 'See what became of a payroll', command: 'svc payouts result payroll.csv'},
    {
      description: 'Write the result file of a batch',
      command: 'svc payouts result b7k2m9qxw --out payroll.result.csv',
    },
    {
      description: 'List the rows that were not made',
      command: `svc payouts result payroll.csv -o jsonl --jq 'select(.state != "CREATED")'`,
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unknownOutcome', 'pending')
  static override args = {
    file: Args.string({description: 'Payout file, or a batch of the fleet by its id or name', required: true}),
  }
  static override flags = {
    out: Flags.string({summary: 'Write the rows to this file', helpValue: 'FILE'}),
    ...namesFlags,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsResult)
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const connect = this.connector(caller, briefReads)
    const {withFileOrBatch} = await import('../../fleet/batches/file-or-batch.ts')
    return withFileOrBatch(traits, args.file, {
      file: async () => {
        const {openFileResults} = await import('../../payouts/run/report-file.ts')
        return this.#report(await openFileResults(args.file, {traits, connect}, (text) => this.notice(text)), flags)
      },
      batch: async (fleet) => {
        const {openBatchResults} = await import('../../fleet/batches/batch-result.ts')
        return this.#report(await openBatchResults(fleet, args.file), flags)
      },
    })
  }

  // Rows are printed while the database is open, some at a time.
  async #report(results: PayoutResults, flags: {out?: string | undefined; 'no-names': boolean}): Promise<undefined> {
    const connect = async () => this.client(undefined, briefReads)
    const notice = (text: string) => this.notice(text)
    if (flags.out === undefined) {
      const isNamed = this.isOnScreen && !flags['no-names']
      const shown = results.rows ? showFilled(results.rows) : payoutView
      const view = isNamed ? withPartyNames(shown, {readPayee: getPayee, connect, notice}) : shown
      await this.show({kind: 'list', key: 'payouts', view, pages: results.pages()})
    } else {
      const names = flags['no-names'] ? undefined : new PartyNames(connect)
      const {writeResults} = await import('../../payouts/run/result-file.ts')
      await writeResults(results, flags.out, names)
      notice(results.describeFile(flags.out))
      const missing = names?.describeMissing()
      if (missing !== undefined) notice(missing)
    }
    const failure = results.findError()
    if (failure) throw failure
    return undefined
  }
}
