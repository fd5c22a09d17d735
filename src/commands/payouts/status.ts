// Shows how far a payout file or a batch of the fleet is, with every row of it on request, or the newest batches.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import path from 'node:path'
import {Parties} from '../../accounts/parties.ts'
import {withPartyNames} from '../../accounts/name-columns.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {SvcCommand, briefReads} from '../../cli/command.ts'
import {namesFlags, numberFlag} from '../../cli/flags/shared.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import type {View} from '../../cli/output/view.ts'
import {batchView, renderStatus, summarizeFile} from '../../fleet/batch-view.ts'
import {withPaymentContext} from '../../payments/context/open-context.ts'
import {fileSlotFlags, readFileSlot} from '../../payouts/file/file-slot.ts'
import {type CountedRows, buildRowsError, describeFile} from '../../payouts/run/report-run.ts'
import type {PayoutResult} from '../../payouts/run/result.ts'
import {type RowCounts, countStates} from '../../payouts/run/row-states.ts'
import {getPayee, payoutView} from '../../payouts/run/view.ts'
import {readServiceTraits} from '../../transport.ts'
import {svc} from '../../values/text.ts'

const limitDefault = 20
const limitMax = 1000

// --columns may name those of the rows as well.
const shownColumns = [...batchView.columns, ...payoutView.columns] as View<unknown>['columns']

interface RowFlags {
  out?: string | undefined
  'no-names': boolean
}

export default class PayoutsStatus extends SvcCommand {
  static override view: View<unknown> = {singular: 'batch', plural: 'batches', columns: shownColumns}
  static override summary = 'Show how far a payout file or a batch is, or list the batches'
  static override description = `Of a file, the totals are as the journal has its rows now, and as the service says that their transactions are. Without FILE, the newest batches of the fleet are listed. With --watch, the status of a batch is followed until all of its rows have ended.
With --rows, every row is printed with the status of its transaction at the service, and with --out they are written as CSV, with the columns of the result file of \`svc payouts run\`. Rows that are not paid yet are NOT_TRIED, and those that another process or a worker has taken IN_PROGRESS.
It ends with 0 if all rows were made; else with code 7 if some may have been paid and their outcome is not known yet, with 9 if some failed or were cancelled, with 10 if a worker paused the batch because it may not be paid, and with 8 if others have not ended.`
  static override examples = [
    {description: 'See how far a payroll is', command: 'svc payouts status payroll.csv'},
    {description: 'See what became of every row', command: 'svc payouts status payroll.csv --rows'},
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unknownOutcome', 'pending', 'partial', 'limit')
  static override args = {file: Args.string({description: 'Payout file, or a batch of the fleet by its id or name'})}
  static override flags = {
    rows: Flags.boolean({summary: 'Print what has become of every row', exclusive: ['watch']}),
    out: Flags.string({summary: 'Write the rows to this file', helpValue: 'FILE', exclusive: ['watch', 'rows']}),
    watch: Flags.boolean({summary: 'Follow the batch until all of its rows have ended'}),
    ...fileSlotFlags,
    limit: numberFlag(`How many batches to list (${limitDefault})`, 1, limitMax),
    ...namesFlags,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsStatus)
    const isOfRows = flags.rows || flags.out !== undefined
    const slot = readFileSlot(flags)
    if (args.file === undefined && (flags.watch || isOfRows || slot)) {
      throw badUsage('Missing FILE', '--watch, --rows, --out and --slot are about one file or batch')
    }
    if (args.file !== undefined && flags.limit !== undefined) {
      throw badUsage('--limit is about the list of batches', 'Leave it or FILE out')
    }
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    const {describeBatch, listStatus, readStatus, watchStatus, withBatch} = await import('../../fleet/status.ts')
    if (args.file === undefined) {
      return listResult(await listStatus(traits, flags.limit ?? limitDefault), 'batches', batchView)
    }
    const notice = (text: string) => this.notice(text)
    const access = {traits, connect: this.connector(caller, briefReads)}
    const {file} = args
    const batchName = slot ? `${path.basename(file)} ${slot.name}` : file
    const ofBatch = await withBatch<{result: Result}>(traits, file, batchName, async (database, batch) => {
      if (isOfRows) {
        const [{walkRows}, {askAboutRows}] = await Promise.all([
          import('../../fleet/batches.ts'),
          import('../../payouts/run/report-file.ts'),
        ])
        return withPaymentContext(access, async (context) => {
          const results = askAboutRows({...traits, context, notice}, walkRows(database, batch.id))
          return {result: await this.#reportRows(results, describeBatch(batch), flags)}
        })
      }
      const settings = {timeoutMs: flags.timeout, isQuiet: flags.quiet ?? false, notice}
      const read = flags.watch ? watchStatus(database, batch, settings) : readStatus(database, batch)
      const {status, failure} = await read
      return {result: {kind: 'item', value: status, view: batchView, render: renderStatus, failure}}
    })
    if (ofBatch) return ofBatch.result
    if (flags.watch) throw badUsage('--watch follows a batch of the fleet', waitHint(file))
    const {reportFile} = await import('../../payouts/run/report-file.ts')
    const results = await reportFile(file, slot, {...access, notice})
    const words = describeFile(file, slot?.name, results)
    if (isOfRows) return this.#reportRows([results], words, flags)
    const render: typeof renderStatus = (status, painter, width) => renderStatus(status, painter, width, results)
    const failure = buildRowsError([{...words, counts: countStates(results)}])
    return {kind: 'item', value: summarizeFile(file, results), view: batchView, render, failure}
  }

  // Rows are printed while the database is open, some at a time.
  async #reportRows(
    results: Iterable<PayoutResult[]> | AsyncIterable<PayoutResult[]>,
    words: Omit<CountedRows, 'counts'>,
    flags: RowFlags,
  ): Promise<undefined> {
    const counts: RowCounts = {}
    async function* count() {
      for await (const items of results) {
        countStates(items, counts)
        yield items
      }
    }
    async function* pages() {
      for await (const items of count()) yield {items, envelope: {payouts: items}}
    }
    const {connect, notice} = this.nameSource()
    if (flags.out === undefined) {
      const isNamed = this.showsPayees && !flags['no-names']
      const view = isNamed ? withPartyNames(payoutView, {readPayee: getPayee, connect, notice}) : payoutView
      await this.show({kind: 'list', key: 'payouts', view, pages: pages()})
    } else {
      const {openResultFile} = await import('../../payouts/run/result-file.ts')
      const names = flags['no-names'] ? undefined : new Parties(connect)
      const file = await openResultFile(flags.out, names, notice)
      await file.write(count())
    }
    const failure = buildRowsError([{...words, counts}])
    if (failure) throw failure
    return undefined
  }
}

const waitHint = (file: string) => `To wait for the rows of a file, run it again: ${svc`payouts run ${file} --wait`}`
