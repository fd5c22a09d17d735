// Follows the transactions of rows to their end, for --wait. Each round reads the list of a customer once for all of its rows, as
// `svc payouts status FILE` does.
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {FailureTolerance, describeWaiting, lengthenPause, pauseFirstMs, planPause} from '../../cli/watch/pace.ts'
import type {Client} from '../../client/client.ts'
import {SvcError} from '../../errors.ts'
import {createService} from '../../payments/protocol/service.ts'
import {quoteForShell} from '../../values/text.ts'
import {describeLines} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {CustomerLists} from './customer-lists.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {Halt, type StopReason, haltAfter, pauseUnlessHalted, withSignals} from './halt.ts'
import {reportFailed, reportMade} from './pay-row.ts'
import {type ProgressSettings, startProgress} from './progress.ts'
import {type PayoutResult, isUnderWay, readPayments} from './result.ts'
import type {Run} from './run.ts'

export interface WaitSettings {
  isSandbox: boolean
  progress: ProgressSettings
  // Connects a client whose requests end with the signal.
  connect: (signal: AbortSignal) => Promise<Client>
}

interface Waiting extends WaitSettings {
  // Of the whole run.
  deadlineMs: number
  // Called with every new state of a row.
  onChange: (result: PayoutResult) => void
}

// For example: 3 PROCESSING, 1 AWAITING_TRANSFER.
const describeStatuses = (results: Iterable<PayoutResult>) =>
  [...Map.groupBy(results, ({status}) => status ?? 'without a status')]
    .map(([status, own]) => `${own.length} ${status}`)
    .join(', ')

// Returns why the waiting stopped before every row had ended.
export async function waitForEnds(
  run: Run,
  results: readonly PayoutResult[],
  {isSandbox, progress: settings, connect, deadlineMs, onChange}: Waiting,
): Promise<StopReason | undefined> {
  const pending = new Map(results.filter(isUnderWay).map((result) => [result.key, result]))
  const total = pending.size
  if (total === 0) return undefined
  const {notice} = settings
  const halt = new Halt()
  const getTimeLeft = () => deadlineMs - performance.now()
  const cancelTimeout = haltAfter(halt, Number.isFinite(deadlineMs) ? Math.max(0, getTimeLeft()) : undefined)
  if (canShowLiveLine()) notice(describeWaiting(isSandbox, 'waiting'))
  const getEnded = () => total - pending.size
  const progress = startProgress(settings, total, getEnded, () =>
    [`${getEnded()} of ${total} ended`, describeStatuses(pending.values())].filter(Boolean).join(', '),
  )
  const context = {...run.context, service: createService(await connect(halt.signal))}
  const tolerance = new FailureTolerance(notice)
  const announced = new Set<string>()
  const onRead = (result: PayoutResult) => {
    onChange(result)
    if (isUnderWay(result)) pending.set(result.key, result)
    else pending.delete(result.key)
    progress.refresh()
  }
  const follow = async () => {
    let pauseMs = pauseFirstMs
    while (pending.size > 0 && halt.reason === undefined) {
      const pause = planPause(pauseMs, getTimeLeft())
      await pauseUnlessHalted(pause.durationMs, halt)
      if (!pause.thenRead) return halt.stop('timeout')
      const [startedMs, before] = [performance.now(), pending.size]
      const rows = run.rows.filter(({key}) => pending.has(key))
      await Promise.race([readRound({...run, context}, rows, halt, onRead), waitForHalt(halt)]).then(
        () => tolerance.recover(),
        (error: unknown) => stopUnlessTolerated(tolerance, error, halt),
      )
      announceTransfers([...pending.values()], announced, notice)
      // Long lists are not read more than half of the time.
      const nextMs = pending.size < before ? pauseFirstMs : lengthenPause(pauseMs)
      pauseMs = Math.max(nextMs, performance.now() - startedMs)
    }
    return undefined
  }
  try {
    // Nothing is in progress that would have to be finished, so the first signal ends the waiting.
    await withSignals(halt, () => {}, follow)
  } finally {
    cancelTimeout()
    progress.end()
  }
  return halt.reason
}

const waitForHalt = ({signal}: Halt) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), {once: true})
  })

// What svc itself did wrong is thrown.
function stopUnlessTolerated(tolerance: FailureTolerance, error: unknown, halt: Halt): void {
  if (!(error instanceof SvcError)) throw error
  try {
    tolerance.tolerate(error)
  } catch {
    halt.stop(error.kind === 'unauthenticated' ? 'credential' : 'service')
  }
}

async function readRound(run: Run, rows: readonly PayoutRow[], halt: Halt, onRead: (result: PayoutResult) => void) {
  const {context, serviceId, concurrency} = run
  const lists = new CustomerLists(context)
  const recorded = await readPayments(context.journal, serviceId, rows)
  await forEachConcurrently(rows, concurrency, async (row) => {
    const {payment} = recorded.get(row.key) ?? {}
    if (!payment) throw new Error(`the payment ${row.key} is no longer in the journal`)
    const {transactions} = await lists.find(payment)
    const result = await reportMade(context, row, payment, transactions).catch((error: unknown) => {
      if (error instanceof SvcError) return reportFailed(context, serviceId, row, error)
      throw error
    })
    if (halt.reason === undefined) onRead(result)
  })
}

// Says once of each row that nothing happens until somebody sends the money.
function announceTransfers(pending: readonly PayoutResult[], announced: Set<string>, notice: (text: string) => void) {
  const awaiting = pending.filter(
    ({key, status}) => status?.toUpperCase() === 'AWAITING_TRANSFER' && !announced.has(key),
  )
  for (const {key} of awaiting) announced.add(key)
  const [first] = awaiting
  if (!first) return
  const [rows, their] = awaiting.length === 1 ? ['row awaits', 'its'] : ['rows await', 'their']
  notice(
    `${awaiting.length} ${rows} a transfer (${describeLines(awaiting)}); \`svc transactions get ${quoteForShell(first.transaction ?? 'ID')}\` shows ${their} instructions.`,
  )
}
