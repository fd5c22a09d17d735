// Pays the rows of a file, each once under its own key, and reports the outcome of every row.
import * as Flags from '@oclif/core/flags'
import {Parties} from '../../accounts/parties.ts'
import {SvcCommand} from '../../cli/command.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {namesFlags, onResultFlag, waitFlag} from '../../cli/flags/shared.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {paymentWrite} from '../../controls/decide.ts'
import {getExitCodes} from '../../errors.ts'
import {openRunNotifier} from '../../payments/context/notify-payments.ts'
import {recordFileApproval} from '../../payouts/file/approve-file.ts'
import {type CheckedFile, checkFile} from '../../payouts/file/check-file.ts'
import {fileSlotFlags, readFileSlot} from '../../payouts/file/file-slot.ts'
import {concurrencyFlag, payoutFileArgs, rowFlags} from '../../payouts/file/row-flags.ts'
import {readPayouts} from '../../payouts/file/rows.ts'
import {buildRunQuestion, previewRun, renderPreview} from '../../payouts/run/preview.ts'
import {startRowProgress} from '../../payouts/run/progress.ts'
import {buildRunError} from '../../payouts/run/report-run.ts'
import {chooseResultFile, openResultFile} from '../../payouts/run/result-file.ts'
import {type OpenRun, alertUnsettled, describeChangedRows, openRun} from '../../payouts/run/run.ts'
import {type EndedRun, refuseFile, runSession} from '../../payouts/run/session.ts'
import {payoutView, renderSummary} from '../../payouts/run/view.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {readServiceTraits} from '../../transport.ts'
import {svc} from '../../values/text.ts'

const concurrencyMax = 64

export default class PayoutsRun extends SvcCommand {
  static override view = payoutView
  static override summary = 'Pay every row of a file once, safe to run again'
  static override description = `The file is CSV with a header, or JSON lines; columns are named like the flags of \`svc pay\` (\`svc docs payouts\`). At a terminal, svc shows the rows with their prices, the totals and who is new, and asks before it pays.
All rows are validated before the first is sent, and checked against the limits of the profile: if one does not fit, none is paid, unless --up-to-cap is given. It ends with code 10 if rows may be duplicates, unless --allow-duplicates is given; on a live profile a script needs --yes.
If you run it again, it continues where it stopped: payments already made are only reported, and unknown outcomes are resolved first.
With --slot '{month}', the same file pays once in each month (or {hour}, {date}, {week}); a missed one is paid with --slot 2026-10.
Ctrl-C finishes the rows in progress. The outcome of every row is written to FILE.result.csv.`
  static override examples = [
    {description: 'Show what the payouts would cost', command: 'svc payouts run payroll.csv --dry-run --with-quotes'},
    {description: 'Pay all rows; run it again to continue', command: 'svc payouts run payroll.csv'},
  ]
  static override exits = getExitCodes('usage', 'unknownOutcome', 'pending', 'partial', 'limit', 'interrupted')
  static override args = payoutFileArgs
  static override flags = {
    concurrency: concurrencyFlag(concurrencyMax),
    result: Flags.string({
      summary: 'Where to write the outcome of every row (FILE.result.csv)',
      helpValue: 'FILE',
      exclusive: ['dry-run'],
    }),
    'dry-run': Flags.boolean({summary: 'Validate and add up, without paying', env: 'SVC_DRY_RUN'}),
    'with-quotes': Flags.boolean({summary: 'With --dry-run, request the price of every row', dependsOn: ['dry-run']}),
    ...rowFlags,
    ...fileSlotFlags,
    wait: waitFlag,
    ...namesFlags,
    'on-result': onResultFlag,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(PayoutsRun)
    const isDryRun = flags['dry-run']
    const resultName = isDryRun ? undefined : chooseResultFile(args.file, flags.result)
    const slot = readFileSlot(flags)
    const written = await readPayouts(args.file, slot)
    const notice = (text: string) => this.notice(text)
    const alert = (text: string) => this.alert(text)
    const caller = await this.writer()
    const isWrite = !isDryRun || flags['with-quotes']
    this.checkWrite(caller, isDryRun ? {method: isWrite ? 'POST' : 'GET', path: '/quotes'} : paymentWrite, flags.yes)
    const traits = await readServiceTraits(caller)
    const names = flags['no-names'] ? undefined : new Parties(this.nameSource(caller).connect)
    const resultFile = resultName === undefined ? undefined : await openResultFile(resultName, names, notice)
    const notifier = isDryRun ? undefined : await openRunNotifier({caller, traits, command: flags['on-result'], notice})
    const run = await openRun({
      ...flags,
      controls: caller,
      traits,
      written,
      waits: flags.wait && flags.timeout === undefined,
      // --timeout ends the run, but must not cut a request off.
      connect: this.connector(caller, {timeoutMs: undefined}),
      alert,
    })
    let isStarted = false
    try {
      const {'up-to-cap': isUpToCap, 'allow-duplicates': allowsDuplicates, timeout: timeoutMs} = flags
      const rules = {caller, traits, file: args.file, slot, isDryRun, isUpToCap, allowsDuplicates, timeoutMs}
      const checked = await checkFile(run, {...rules, notifier, notice})
      const [summary, ...changes] = describeChangedRows(run, isDryRun)
      if (summary !== undefined && (isDryRun || !checked.refusal)) this.alert(summary, ...changes)
      if (isDryRun) {
        const {result, isReady} = await this.#runDry(run, checked, names, flags['with-quotes'])
        const toPay = `To pay it: ${slot ? svc`payouts run ${args.file} --slot ${slot.name}` : svc`payouts run ${args.file}`}`
        return await this.showWithNotes(result, isReady ? suggest(args.file, toPay) : [])
      }
      const {stopped, approval, duplicateWindowMs} = checked
      const reporting = {resultFile, notifier, alert, duplicateWindowMs}
      if (checked.refusal) {
        alertUnsettled(run, alert)
        return await this.#finish(await refuseFile(run, checked, reporting))
      }
      const asked = buildRunQuestion(run, {caller, stopped, names})
      if (asked) {
        await this.authorize(caller, paymentWrite, {yes: flags.yes, ask: asked})
        await recordFileApproval(run.context.journal, approval, args.file)
      }
      isStarted = true
      const ended = await runSession(run, {
        ...reporting,
        stopped,
        progress: this.#progress,
        approval,
        timeoutMs,
        isAwaited: flags.wait,
        isSandbox: caller.baseUrl === sandboxAddress,
      })
      const rows = slot
        ? svc`payouts status ${args.file} --slot ${slot.name} --rows`
        : svc`payouts status ${args.file} --rows`
      const seeRows = `To see what became of every row: ${rows}`
      return await this.showWithNotes(await this.#finish(ended), suggest(args.file, seeRows))
    } catch (error) {
      if (!isStarted) alertUnsettled(run, alert)
      throw error
    } finally {
      await run.context.close()
    }
  }

  get #progress() {
    return {isQuiet: this.flags.quiet ?? false, notice: (text: string) => this.notice(text)}
  }

  #finish({results, failure}: EndedRun): Promise<Result> {
    return this.finishWrite(listResult(results, 'payouts', payoutView, {render: renderSummary, failure}))
  }

  // The question without asking.
  async #runDry(
    run: OpenRun,
    {stopped, refusal}: CheckedFile,
    allNames: Parties | undefined,
    isPriced: boolean,
  ): Promise<{result: Result; isReady: boolean}> {
    const progress = startRowProgress(this.#progress, run.rows.length)
    // A program reads the rows, which have no names.
    const names = this.format === 'table' ? allNames : undefined
    const preview = await previewRun(run, {stopped, isPriced, names, onEnd: progress.addRow}).finally(progress.end)
    const {results, failures} = preview
    const failure = refusal ?? buildRunError({results, failures, isDryRun: true})
    const render: typeof renderSummary = (_, painter, width) => renderPreview(preview, painter, width)
    const result = listResult(results, 'payouts', payoutView, {render, failure})
    return {result, isReady: results.some(({state}) => state === 'READY')}
  }
}

// Standard input cannot be read again.
const suggest = (file: string, text: string) => (file === '-' ? [] : [text])
