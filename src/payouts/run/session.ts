// A run of a payout file from its first row to its last word: pays the rows, several at a time and each once under its own key, until
// all have ended or the run is stopped, with signals, progress, --wait, notifications and the result file.
import {clearExitNotices, registerExitNotice} from '../../cli/exit.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {describeWaiting, lengthenPause, pauseFirstMs} from '../../cli/watch/pace.ts'
import type {Approval} from '../../controls/approvals.ts'
import {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {type CheckedFile, refuseRows} from '../file/check-file.ts'
import type {PayoutRow} from '../file/rows.ts'
import {CustomerLists} from '../../payments/protocol/lists.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {type Halt, haltAfter, pauseUnlessHalted, withSignals} from './halt.ts'
import {type EndedRow, type RowPayer, payRow} from './pay-row.ts'
import {type ProgressSettings, showProgress, startRowProgress} from './progress.ts'
import {buildRunError, hasFailed, notifyRows} from './report-run.ts'
import type {ResultFile} from './result-file.ts'
import {type PayoutResult, isUnderWay, readPayments} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {type OpenRun, reportRows} from './run.ts'

// How long one row may wait for another process, or to be settled, while the other rows go on.
const rowWaitMaxMs = 60_000

// Where the results go besides standard output.
interface Reporting {
  resultFile: ResultFile | undefined
  // Who is told what needs a person, if anybody is.
  notifier: Notifier | undefined
  alert: (text: string) => void
}

export interface SessionSettings extends Reporting, Pick<RowPayer, 'duplicateWindowMs'> {
  approval: Pick<Approval, 'recheck' | 'subject'>
  // Rows that do not fit the limits, and are not tried.
  stopped: readonly PayoutResult[]
  progress: ProgressSettings
  // The value of --timeout.
  timeoutMs: number | undefined
  // With --wait, rows that were made are followed to their end.
  isAwaited: boolean
  isSandbox: boolean
}

export interface EndedRun {
  // In the order of the file.
  results: PayoutResult[]
  failure: SvcError | undefined
}

// Stops the run on errors that would also fail every other row.
function haltOn(error: SvcError, halt: Halt): void {
  if (error.kind === 'unauthenticated') halt.stop('credential')
  else if (error instanceof JournalUnusable || error.cause instanceof JournalUnusable) halt.stop('journal')
  else if (error.kind === 'bug') halt.stop('fault')
}

class Session {
  readonly #run: OpenRun
  readonly #settings: SessionSettings
  readonly #results: Map<string, PayoutResult>
  readonly #madeHere = new Set<string>()
  readonly #failures: SvcError[] = []
  // One for the whole run, with the lists that it has read.
  readonly #payer: RowPayer
  #inProgress = 0

  constructor(run: OpenRun, settings: SessionSettings) {
    this.#run = run
    this.#settings = settings
    this.#results = new Map(settings.stopped.map((result) => [result.key, result]))
    this.#payer = this.#createPayer()
  }

  #createPayer(): RowPayer {
    const {context: own, serviceId, halt, failureBudget} = this.#run
    const service = failureBudget.wrap(own.service)
    const context = {...own, service, lists: new CustomerLists({...own, service, memory: own.journal, isShared: true})}
    const {approval, duplicateWindowMs} = this.#settings
    return {
      context,
      serviceId,
      halt,
      rowWaitMs: rowWaitMaxMs,
      findObjection: async () => approval.recheck?.(),
      duplicateWindowMs,
      approved: approval.subject?.digest,
    }
  }

  #end({result, failure, isMadeHere}: EndedRow): void {
    if (isMadeHere) this.#madeHere.add(result.key)
    this.#results.set(result.key, result)
    if (failure) {
      this.#failures.push(failure)
      haltOn(failure, this.#run.halt)
    }
  }

  async #pay(): Promise<void> {
    const {known, halt, concurrency} = this.#run
    const payer = this.#payer
    const rows = this.#run.rows.filter(({key}) => !this.#results.has(key))
    const progress = startRowProgress(this.#settings.progress, rows.length)
    await forEachConcurrently(rows, concurrency, async (row) => {
      if (halt.reason !== undefined) return
      this.#inProgress++
      const ended = await payRow(payer, row, known.get(row.key)?.payment)
      this.#inProgress--
      this.#end(ended)
      progress.addRow(hasFailed(ended.result))
    }).finally(progress.end)
  }

  #listPending(): PayoutRow[] {
    return this.#run.rows.filter(({key}) => isUnderWay(this.#results.get(key)))
  }

  // Follows the transactions of rows to their end. Long lists are not read more than half of the time.
  async #follow(): Promise<void> {
    const {halt} = this.#run
    const {progress, isSandbox} = this.#settings
    let pending = this.#listPending()
    const total = pending.length
    if (total === 0 || halt.reason !== undefined) return
    if (canShowLiveLine()) progress.notice(describeWaiting(isSandbox, 'waiting'))
    const countEnded = () => total - pending.length
    const describe = () => {
      const statuses = Map.groupBy(pending, ({key}) => this.#results.get(key)?.status ?? 'without a status')
      const parts = [...statuses].map(([status, own]) => `${own.length} ${status}`)
      return [`${countEnded()} of ${total} ended`, ...parts].join(', ')
    }
    const endProgress = showProgress(progress, total, countEnded, describe)
    for (let pauseMs = pauseFirstMs; pending.length > 0 && halt.reason === undefined;) {
      await pauseUnlessHalted(pauseMs, halt)
      const startedMs = performance.now()
      await this.#readTransactions(pending)
      const before = pending.length
      pending = this.#listPending()
      const nextMs = pending.length < before ? pauseFirstMs : lengthenPause(pauseMs)
      pauseMs = Math.max(nextMs, performance.now() - startedMs)
    }
    endProgress()
  }

  // The list of a customer is read once for all of its rows, as far back as the oldest of them. One that cannot be read
  // counts as a failure of the service.
  async #readTransactions(rows: readonly PayoutRow[]): Promise<void> {
    const {context, serviceId, concurrency, halt} = this.#run
    const recorded = await readPayments(context.journal, serviceId, rows)
    const payer = this.#payer
    const madeMs = [...recorded.values()].map(({payment}) => payment?.madeAt ?? Number.NEGATIVE_INFINITY)
    payer.context.lists.expireStatuses(Math.min(...madeMs))
    await forEachConcurrently(rows, concurrency, async (row) => {
      if (halt.reason !== undefined) return
      const {result, readError} = await payRow(payer, row, recorded.get(row.key)?.payment)
      if (readError) haltOn(readError, halt)
      else this.#results.set(row.key, result)
    })
  }

  // Rows in progress are finished after the first signal; nothing is in progress while the run waits.
  async #payAndWait(): Promise<void> {
    const {isAwaited, timeoutMs, progress} = this.#settings
    const {halt} = this.#run
    const onFirst = () => {
      if (this.#inProgress === 0) return
      progress.notice(`Finishing the rows in progress (${this.#inProgress}); press Ctrl-C again to stop at once.`)
    }
    // Registered before those of the requests, which know less. Printed if a second signal ends the process.
    const unregister = registerExitNotice(() => {
      if (halt.reason === undefined || this.#inProgress === 0) return undefined
      const message = `Stopped at once; the rows in progress (${this.#inProgress}) may or may not have been paid`
      return {message, hint: 'Run the file again to settle what is not known, without paying twice'}
    })
    const cancelTimeout = haltAfter(halt, timeoutMs)
    await withSignals(halt, onFirst, async () => {
      await this.#pay()
      if (isAwaited) await this.#follow()
    }).finally(() => {
      cancelTimeout()
      unregister()
    })
    // Rows that were not begun are told as the journal has them, and another process may have settled or sent since what this run could
    // not bring to an end.
    const open = this.#run.rows.filter(({key}) => !hasTransaction(this.#results.get(key)?.state ?? 'NOT_TRIED'))
    for (const told of await reportRows(this.#run, open, this.#results)) this.#results.set(told.key, told)
  }

  #listResults(): PayoutResult[] {
    return this.#run.rows.flatMap(({key}) => {
      const result = this.#results.get(key)
      if (!result) return []
      const {changes} = this.#run.told.get(key) ?? {}
      const isMadeBefore = hasTransaction(result.state) && !this.#madeHere.has(key)
      return [{...result, ...(changes && {changes}), ...(isMadeBefore && {madeBefore: true as const})}]
    })
  }

  async run(): Promise<EndedRun> {
    const {stopped, alert, isAwaited, isSandbox} = this.#settings
    const {rows, halt} = this.#run
    if (stopped.length > 0) this.#failures.push(refuseRows(stopped, rows, false))
    this.#settings.resultFile?.removeEarlier()
    try {
      await this.#payAndWait()
    } finally {
      // Who stops a run does not wait for names, and where nothing was tried, nothing is read.
      const isNamed = halt.reason === undefined && rows.length > stopped.length
      await reportResults(this.#run, this.#listResults(), this.#settings, isNamed)
    }
    // The rows say what became of every request.
    clearExitNotices()
    const results = this.#listResults()
    for (const {line, key, difference} of results) if (difference) alert(`line ${line}, ${key}: ${difference}`)
    const outcome = {results, failures: this.#failures, reason: halt.reason}
    return {results, failure: buildRunError({...outcome, isAwaited, isSandbox})}
  }
}

export const runSession = (run: OpenRun, settings: SessionSettings): Promise<EndedRun> =>
  new Session(run, settings).run()

// What was paid is reported even if it cannot be written, for example because the disk is full.
async function reportResults(
  {rows}: OpenRun,
  results: readonly PayoutResult[],
  {resultFile, notifier, alert}: Reporting,
  isNamed: boolean,
): Promise<void> {
  notifyRows(notifier, rows, results)
  await resultFile?.write([results], isNamed).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error
    alert(error.message)
  })
}

// Reports a file of which nothing is paid, because of some of its rows.
export async function refuseFile(
  run: OpenRun,
  {stopped, refusal}: Pick<CheckedFile, 'stopped' | 'refusal'>,
  reporting: Reporting,
): Promise<EndedRun> {
  const results = await reportRows(run, run.rows, new Map(stopped.map((result) => [result.key, result])))
  await reportResults(run, results, reporting, false)
  return {results, failure: refusal}
}
