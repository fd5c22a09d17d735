// Follows the transactions of rows to their end, for --wait. Each round reads the list of a customer once for all of its rows.
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {
  FailureTolerance,
  describeWaiting,
  lengthenPause,
  pauseFirstMs,
  planPause,
  unlistedMsMax,
} from '../../cli/watch/pace.ts'
import type {Client} from '../../client/client.ts'
import {SvcError} from '../../errors.ts'
import {type Service, createService} from '../../payments/protocol/service.ts'
import {readText} from '../../values/records.ts'
import {quoteForShell} from '../../values/text.ts'
import {describeLines} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {Halt, type StopReason, haltAfter, pauseUnlessHalted, withSignals} from './halt.ts'
import {noteEnding} from './pay-row.ts'
import {type ProgressSettings, startProgress} from './progress.ts'
import {type PayoutResult, isUnderWay, toCreatedResult} from './result.ts'
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
  notice: (text: string) => void
  // Called with every new state of a row.
  onChange: (result: PayoutResult) => void
}

interface FollowedRow {
  row: PayoutRow
  result: PayoutResult
  // When the list last showed it, or the waiting began.
  seenMs: number
}

// For example: 3 PROCESSING, 1 AWAITING_TRANSFER.
const describeStatuses = (followed: readonly FollowedRow[]) =>
  [...Map.groupBy(followed, ({result}) => result.status ?? 'without a status')]
    .map(([status, own]) => `${own.length} ${status}`)
    .join(', ')

// Returns why the waiting stopped before every row had ended.
export async function waitForEnds(
  run: Run,
  results: readonly PayoutResult[],
  {isSandbox, progress: settings, connect, deadlineMs, notice, onChange}: Waiting,
): Promise<StopReason | undefined> {
  const underWay = new Map(results.filter(isUnderWay).map((result) => [result.key, result]))
  let pending = run.rows.flatMap((row): FollowedRow[] => {
    const result = underWay.get(row.key)
    return result ? [{row, result, seenMs: performance.now()}] : []
  })
  const total = pending.length
  if (total === 0) return undefined
  const halt = new Halt()
  const getTimeLeft = () => deadlineMs - performance.now()
  const cancelTimeout = haltAfter(halt, Number.isFinite(deadlineMs) ? Math.max(0, getTimeLeft()) : undefined)
  if (canShowLiveLine()) notice(describeWaiting(isSandbox, 'waiting'))
  const getEnded = () => total - pending.length
  const progress = startProgress(settings, total, getEnded, () =>
    [`${getEnded()} of ${total} ended`, describeStatuses(pending)].filter(Boolean).join(', '),
  )
  const service = createService(await connect(halt.signal))
  const tolerance = new FailureTolerance(notice)
  const awaiting = new Set<string>()
  const follow = async () => {
    let pauseMs = pauseFirstMs
    while (pending.length > 0 && halt.reason === undefined) {
      const pause = planPause(pauseMs, getTimeLeft())
      await pauseUnlessHalted(pause.durationMs, halt)
      if (!pause.thenRead) return halt.stop('timeout')
      if (halt.reason !== undefined) return undefined
      const startedMs = performance.now()
      await Promise.race([readRound(run, service, pending, halt), waitForHalt(halt)]).then(
        () => tolerance.recover(),
        (error: unknown) => stopUnlessTolerated(tolerance, error, halt),
      )
      // What was read is reported even if the round failed later.
      for (const {result} of pending) onChange(result)
      announceTransfers(pending, awaiting, notice)
      const before = pending.length
      pending = pending.filter(({result, seenMs}) => isUnderWay(result) && performance.now() - seenMs < unlistedMsMax)
      progress.refresh()
      // Long lists are not read more than half of the time.
      const isQuick = pending.length < before
      pauseMs = Math.max(isQuick ? pauseFirstMs : lengthenPause(pauseMs), performance.now() - startedMs)
    }
    return undefined
  }
  try {
    // Nothing is in progress that would have to be finished, so the first signal ends the waiting.
    await withSignals(halt, {onFirst: () => {}}, follow)
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

// Stops as soon as all rows of a customer are found.
async function readRound(run: Run, service: Service, pending: readonly FollowedRow[], halt: Halt): Promise<void> {
  const byCustomer = Map.groupBy(pending, ({row}) => row.content.customerId.toLowerCase())
  await forEachConcurrently([...byCustomer], run.concurrency, async ([customerId, followed]) => {
    if (halt.reason !== undefined) return
    const missing = new Map(followed.map((one) => [one.result.transaction ?? '', one]))
    for await (const page of service.transactions(customerId)) {
      for (const transaction of page) {
        const id = readText(transaction.transactionId)
        const one = missing.get(id)
        if (!one || !missing.delete(id)) continue
        one.seenMs = performance.now()
        const payment = await run.context.journal.find(run.serviceId, one.row.key)
        if (!payment) throw new Error(`the payment ${one.row.key} is no longer in the journal`)
        const {madeBefore = false, changes} = one.result
        const latest = await noteEnding(run.context, payment, transaction)
        one.result = {...toCreatedResult(one.row, latest, transaction, madeBefore), ...(changes && {changes})}
      }
      if (missing.size === 0 || halt.reason !== undefined) return
    }
  })
}

// Says once of each row that nothing happens until somebody sends the money.
function announceTransfers(pending: readonly FollowedRow[], announced: Set<string>, notice: (text: string) => void) {
  const awaiting = pending
    .map(({result}) => result)
    .filter(({key, status}) => status?.toUpperCase() === 'AWAITING_TRANSFER' && !announced.has(key))
  for (const {key} of awaiting) announced.add(key)
  const [first] = awaiting
  if (!first) return
  const [rows, their] = awaiting.length === 1 ? ['row awaits', 'its'] : ['rows await', 'their']
  notice(
    `${awaiting.length} ${rows} a transfer (${describeLines(awaiting)}); \`svc transactions get ${quoteForShell(first.transaction ?? 'ID')}\` shows ${their} instructions.`,
  )
}
