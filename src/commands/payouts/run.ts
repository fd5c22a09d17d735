// Pays the rows of a file, each once under its own key, and reports the outcome of every row.
import {SvcError, getExitCodes, interrupted} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {PartyNames} from '../../accounts/account-names.ts'
import {briefReads} from '../../customers/customer-names.ts'
import {createAccountReader} from '../../payouts/file/complete-rows.ts'
import {getCoolDownRules} from '../../controls/new-payees.ts'
import {type FileApproval, recordFileApproval, requireFileApproval} from '../../payouts/file/approve-file.ts'
import {describeChangedRows} from '../../payouts/run/journal-state.ts'
import {type OpenBatch, alertUnsettledRows, openBatch, describeSlowness} from '../../payouts/run/run.ts'
import {describeNextSteps, notifyRows} from '../../payouts/run/report-run.ts'
import {chooseResultFile, openResultFile, refuseFile} from '../../payouts/run/result-file.ts'
import {type SessionSettings, runSession, streamResults} from '../../payouts/run/session.ts'
import {type Progress, startRunProgress} from '../../payouts/run/progress.ts'
import {type ServiceAccess, findUnreadyRows, readValidPayouts, rejectWrongRows} from '../../payouts/file/readiness.ts'
import {type KnownPayees, describeExpensiveRows, previewRows, rememberPayees} from '../../payouts/run/preview.ts'
import {renderPricedRows} from '../../payouts/run/preview-view.ts'
import {LastPayees} from '../../payouts/run/last-payees.ts'
import {runDry} from '../../payouts/run/dry-run.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import {type FileCheck, checkFile, rejectRowsElsewhere} from '../../payouts/file/check-file.ts'
import {checkFileSlot} from '../../payouts/file/check-slot.ts'
import {fileSlotFlags, readFileSlot} from '../../payouts/file/file-slot.ts'
import {type PayoutResult, type RowStop, listDuplicates} from '../../payouts/run/result.ts'
import {buildRunQuestion} from '../../payouts/run/question.ts'
import {renderAwaitedSummary, renderSummary} from '../../payouts/run/summary.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {allRowsFlag, namesFlags, onResultFlag, waitFlag, wholeNumberParser} from '../../cli/flags/shared.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {writeErrLines} from '../../cli/output/streams.ts'
import {payoutView} from '../../payouts/run/view.ts'
import {concurrencyDefault} from '../../payments/pay/throttle.ts'
import {openRunNotifier, withApprovalNotice} from '../../payments/pay/notify-payments.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {readServiceTraits} from '../../transport.ts'

const write = {method: 'POST', path: '/transactions', checksLimits: true, checksApprovals: true}
const concurrencyMax = 64

export default class PayoutsRun extends SvcCommand {
  static override view = payoutView
  static override summary = 'Pay every row of a file once, safe to run again'
  static override description = `The file is CSV with a header, or JSON lines; columns are named like the flags of \`svc pay\` (\`svc docs payouts\`). At a terminal, svc shows the rows, the totals and what is unusual, and asks before it pays.
All rows are validated before the first is sent, and checked against the limits of the profile: if one does not fit, none is paid, unless --up-to-cap is given. A script ends with code 10 if rows may be duplicates, unless --allow-duplicates is given; on a live profile it needs --yes.
If you run it again, it continues where it stopped: payments already made are only reported, and unknown outcomes are resolved first.
With --slot '{month}', the same file pays once in each month (or {hour}, {date}, {week}); a missed one is paid with --slot 2026-10.
Ctrl-C finishes the rows in progress. The outcome of every row is written to FILE.result.csv.`
  static override examples = [
    {description: 'Show what the payouts would cost', command: 'svc payouts run payroll.csv --dry-run --with-quotes'},
    {description: 'Pay all rows; run it again to continue', command: 'svc payouts run payroll.csv'},
  ]
  static override exits = getExitCodes('usage', 'unknownOutcome', 'pending', 'partial', 'limit', 'interrupted')
  static override args = {
    file: Args.string({description: 'File with the payouts (- for standard input)', required: true}),
  }
  static override flags = {
    concurrency: Flags.custom<number>({
      summary: `Number of rows to pay at the same time (${concurrencyDefault})`,
      helpValue: 'N',
      parse: wholeNumberParser(1, concurrencyMax),
    })(),
    'stop-after': Flags.custom<number>({
      summary: 'Start no further rows after N failures',
      helpValue: 'N',
      parse: wholeNumberParser(1, Number.MAX_SAFE_INTEGER),
    })(),
    result: Flags.string({
      summary: 'Where to write the outcome of every row (FILE.result.csv)',
      helpValue: 'FILE',
      exclusive: ['dry-run'],
    }),
    'dry-run': Flags.boolean({summary: 'Validate and add up, without paying', env: 'SVC_DRY_RUN'}),
    'with-quotes': Flags.boolean({summary: 'With --dry-run, request the price of every row', dependsOn: ['dry-run']}),
    'up-to-cap': Flags.boolean({
      summary: 'Pay the rows that fit the limits of the profile, in order, instead of none',
    }),
    'allow-duplicates': Flags.boolean({
      summary: 'Pay rows although they have the same amount and account as another payment',
    }),
    ...fileSlotFlags,
    all: allRowsFlag,
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
    const {rows, remarks} = await readValidPayouts(args.file, slot, () => this.#openAccess())
    for (const remark of remarks) this.notice(remark)
    const caller = await this.writer()
    const isWrite = !isDryRun || flags['with-quotes']
    this.checkWrite(caller, isDryRun ? {method: isWrite ? 'POST' : 'GET', path: '/quotes'} : write, flags.yes)
    const traits = await readServiceTraits(caller)
    const known = flags['no-names'] ? {} : this.#readNames(caller, traits)
    const resultFile = resultName === undefined ? undefined : await openResultFile(resultName, known.names)
    const notice = (text: string) => this.notice(text)
    const notifier = isDryRun ? undefined : await openRunNotifier({caller, traits, command: flags['on-result'], notice})
    const batch = await openBatch({
      ...flags,
      controls: caller,
      traits,
      rows,
      // --timeout ends the run, but must not cut a request off.
      connect: this.connector(caller, {timeoutMs: undefined}),
      alert: (text) => this.alert(text),
    })
    let stops: readonly RowStop[]
    let approval: FileApproval
    try {
      await rejectWrongRows(args.file, batch)
      await rejectRowsElsewhere(args.file, batch)
      await checkFileSlot(batch, slot, {caller, isDryRun, timeoutMs: flags.timeout, notice})
      const wanted = {...batch, caller, traits, file: args.file, slot}
      approval = await withApprovalNotice(
        {notifier, journal: traits.journal, file: args.file, noticeOfDryRun: isDryRun ? notice : undefined},
        () => requireFileApproval(wanted),
      )
      const rules = {
        isUpToCap: flags['up-to-cap'],
        duplicateWindowMs: flags['allow-duplicates'] ? 0 : caller.duplicateWindowMs,
        coolDown: getCoolDownRules(caller, approval),
      }
      const check = await checkFile(batch, rules, isDryRun)
      if (isDryRun) return await this.#runDry(batch, check, {...known, ...flags, ...args, slot: slot?.name})
      const refusal = await this.#allowDuplicates(batch, check)
      if (refusal) return await this.#refuse(batch, check, refusal, {resultFile, notifier})
      this.#announceChangedRows(batch, false)
      stops = check.overLimit
      const findUnready = this.#createReadinessCheck(batch, caller)
      const asked = buildRunQuestion(batch, {caller, stops, isAll: flags.all, findUnready, ...known})
      if (asked) {
        await this.authorizeWrite(caller, write, flags.yes, asked)
        await recordFileApproval(batch.context.journal, approval, {file: args.file})
      }
    } catch (error) {
      await alertUnsettledRows(batch, (text) => this.alert(text))
      await batch.context.close()
      throw error
    }
    const slowness = describeSlowness(batch)
    if (slowness !== undefined) this.notice(slowness)
    const wait = flags.wait ? this.#createWait(caller) : undefined
    const findObjection = async () => approval.recheck?.()
    const onDone = (results: readonly PayoutResult[]) => {
      if (!this.isInteractive || flags.yes) this.#warnOfFees(batch.rows, results)
      rememberPayees(known, results)
    }
    return this.#pay({...batch, findObjection}, {stops, resultFile, wait, notifier, onDone, ...args, slot: slot?.name})
  }

  #createWait(caller: Caller): SessionSettings['wait'] {
    // The waiting only reads, so its requests may be cut off.
    const connect = (signal: AbortSignal) => this.client(caller, {timeoutMs: undefined, signal})
    return {progressSettings: this.#progressSettings, connect, isSandbox: caller.baseUrl === sandboxAddress}
  }

  #readNames(caller: Caller, {serviceId}: ServiceTraits): KnownPayees {
    return {names: new PartyNames(() => this.client(caller, briefReads)), lastPayees: new LastPayees(serviceId)}
  }

  #createReadinessCheck(batch: OpenBatch, caller: Caller) {
    return async (rows: readonly PayoutRow[]) => {
      const client = await this.client(caller, briefReads)
      return findUnreadyRows({...batch, client, readAccounts: createAccountReader(client), rows})
    }
  }

  async #openAccess(): Promise<ServiceAccess> {
    const caller = await this.caller()
    const traits = await readServiceTraits(caller)
    return {traits, connect: this.connector(caller, briefReads)}
  }

  get #progressSettings() {
    const isQuiet = this.flags.quiet ?? false
    const isShared = this.format === 'jsonl' && process.stdout.isTTY
    return {isQuiet, isShared, notice: (text: string) => this.notice(text)}
  }

  #startProgress(total: number): Progress {
    return startRunProgress({...this.#progressSettings, total})
  }

  #announceChangedRows({journalState}: OpenBatch, isDryRun: boolean): void {
    const [summary, ...rows] = describeChangedRows(journalState, isDryRun)
    if (summary !== undefined) this.alert(summary, ...rows)
  }

  async #runDry(
    batch: OpenBatch,
    check: FileCheck,
    {
      'with-quotes': withQuotes,
      all: isAll,
      file,
      slot,
      ...known
    }: KnownPayees & {'with-quotes': boolean; all: boolean; file: string; slot: string | undefined},
  ): Promise<Result> {
    this.#announceChangedRows(batch, true)
    const progress = this.#startProgress(batch.rows.length)
    const {results, failure, unverified} = await runDry({
      ...batch,
      client: batch.context.client,
      stops: [...check.overLimit, ...check.duplicates],
      refusal: check.refusal?.error,
      withQuotes,
      onEnd: (failed) => progress.addRow(failed),
    }).finally(() => progress.end())
    for (const customer of unverified) this.notice(`The customer ${customer}.`)
    const ready = results.filter(({state}) => state === 'READY')
    const areReady = ready.length > 0
    if (areReady && !withQuotes) this.notice('Prices were not checked: add --with-quotes.')
    const next = areReady ? describeNextSteps(file, results, slot) : []
    if (!withQuotes) {
      await batch.context.close()
      return this.showWithNotes(listResult(results, 'payouts', payoutView, {render: renderSummary, failure}), next)
    }
    const {serviceId, context} = batch
    // A program reads the rows, which have no names.
    const names = this.format === 'table' ? known.names : undefined
    const reading = {serviceId, journal: context.journal, lastPayees: known.lastPayees, names}
    const preview = await previewRows(reading, batch.rows, ready)
    await context.close()
    const missing = names?.describeMissing()
    if (missing !== undefined) this.notice(missing)
    if (this.format !== 'table') this.#warnOfFees(batch.rows, ready)
    const render: typeof renderSummary = (rows, painter, width) =>
      `${renderPricedRows(preview, {painter, width, isAll})}${renderSummary(rows, painter, width)}`
    return this.showWithNotes(listResult(results, 'payouts', payoutView, {render, failure}), next)
  }

  // A person was asked about them.
  #warnOfFees(rows: readonly PayoutRow[], results: readonly PayoutResult[]): void {
    const warning = describeExpensiveRows(rows, results)
    if (warning !== undefined) this.alert(warning)
  }

  // Asks a person whether duplicates are meant. A script has to say so. Returns why the file is still refused.
  async #allowDuplicates({rows}: OpenBatch, {duplicates, refusal}: FileCheck): Promise<SvcError | undefined> {
    if (!refusal?.isAboutDuplicates || !this.isInteractive) return refusal?.error
    writeErrLines(listDuplicates(duplicates, rows))
    const {askYes} = await import('../../cli/prompts/ask.ts')
    if (await askYes('Pay them as further payments?')) return undefined
    throw interrupted()
  }

  // If some rows of a file would not be paid, none is.
  async #refuse(
    batch: OpenBatch,
    check: FileCheck,
    failure: SvcError,
    {resultFile, notifier}: Pick<SessionSettings, 'resultFile' | 'notifier'>,
  ): Promise<Result> {
    const results = await refuseFile(batch, [...check.overLimit, ...check.duplicates], {
      resultFile,
      notice: (text) => this.notice(text),
      alert: (text) => this.alert(text),
    })
    notifyRows(notifier, batch.rows, results)
    await alertUnsettledRows(batch, (text) => this.alert(text))
    await batch.context.close()
    return this.finishWrite(listResult(results, 'payouts', payoutView, {render: renderSummary, failure}))
  }

  // JSON lines are printed as each row ends. Other formats are printed at the end, in the order of the file.
  async #pay(
    batch: OpenBatch,
    {
      onDone,
      file,
      slot,
      ...settings
    }: Pick<SessionSettings, 'stops' | 'resultFile' | 'wait' | 'notifier'> & {
      onDone: (results: readonly PayoutResult[]) => void
      file: string
      slot: string | undefined
    },
  ): Promise<Result> {
    const runRows = async (onResult?: SessionSettings['onResult']) => {
      try {
        const session = await runSession(batch, {
          ...settings,
          progress: this.#startProgress(batch.rows.length - settings.stops.length),
          isQuiet: this.isSilent,
          notice: (text) => this.notice(text),
          alert: (text) => this.alert(text),
          timeoutMs: this.flags.timeout,
          onResult,
        })
        onDone(session.results)
        return session
      } finally {
        await batch.context.close()
      }
    }
    if (this.format === 'jsonl') {
      return streamResults(async (onResult) => (await runRows(onResult)).failure)
    }
    const {results, failure} = await runRows()
    const render = settings.wait ? renderAwaitedSummary : renderSummary
    const result = this.finishWrite(listResult(results, 'payouts', payoutView, {render, failure}))
    return this.showWithNotes(result, describeNextSteps(file, results, slot))
  }
}
