// Shows how far a payout file or a batch of the fleet is, or the newest batches.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {badUsage, getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {wholeNumberParser} from '../../cli/flags/shared.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {batchView, renderBatchStatus, renderFileStatus, summarizeFile} from '../../fleet/batches/batch-view.ts'
import {briefReads} from '../../customers/customer-names.ts'
import {readServiceTraits} from '../../transport.ts'
import {quoteForShell} from '../../values/text.ts'

const limitDefault = 20
const limitMax = 1000

export default class PayoutsStatus extends SvcCommand {
  static override view = batchView
  static override summary = 'Show how far a payout file or a batch is, or list the batches'
  static override description =
    'Of a file, the totals are as the journal has its rows now, and as the service says that their transactions are. Without FILE, the newest batches of the fleet are listed, and who works. With --watch, the status of a batch is followed until all of its rows have ended; the exit code is then that of `svc payouts work --until-idle`.'
  static override examples = [
    {description: 'See how far a payroll is', command: 'svc payouts status payroll.csv'},
    {description: 'List the batches', command: 'svc payouts status'},
    {description: 'Follow one to its end', command: 'svc payouts status b7k2m9qxw --watch'},
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unknownOutcome', 'pending', 'partial')
  static override args = {file: Args.string({description: 'Payout file, or a batch of the fleet by its id or name'})}
  static override flags = {
    watch: Flags.boolean({summary: 'Follow the batch until all of its rows have ended'}),
    limit: Flags.custom<number>({
      summary: `How many batches to list (${limitDefault})`,
      helpValue: 'N',
      parse: wholeNumberParser(1, limitMax),
    })(),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsStatus)
    if (flags.watch && args.file === undefined) throw badUsage('Missing FILE', '--watch follows one batch')
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const {listStatus, showStatus, watchStatus} = await import('../../fleet/batches/status.ts')
    if (args.file === undefined) {
      const {batches, ...extraFields} = await listStatus(traits, flags.limit ?? limitDefault)
      return listResult(batches, 'batches', batchView, {extraFields})
    }
    const settings = {
      timeoutMs: flags.timeout,
      isQuiet: flags.quiet ?? false,
      notice: (text: string) => this.notice(text),
    }
    const {file: reference} = args
    const {withFileOrBatch} = await import('../../fleet/batches/file-or-batch.ts')
    return withFileOrBatch<Result>(traits, reference, {
      file: async () => {
        if (flags.watch) throw badUsage('--watch follows a batch of the fleet', waitHint(reference))
        const {reportFile, unaskedNotice} = await import('../../payouts/run/report-file.ts')
        const {results, isUnasked} = await reportFile(reference, {traits, connect: this.connector(caller, briefReads)})
        if (isUnasked) this.notice(unaskedNotice)
        return {kind: 'item', value: summarizeFile(reference, results), view: batchView, render: renderFileStatus}
      },
      batch: async () => {
        const {status, failure} = flags.watch
          ? await watchStatus(traits, reference, settings)
          : await showStatus(traits, reference)
        return {kind: 'item', value: status, view: batchView, render: renderBatchStatus, failure}
      },
    })
  }
}

const waitHint = (file: string) =>
  `To wait for the rows of a file, run it again: svc payouts run ${quoteForShell(file)} --wait`
