// Follows the transactions of rows to their end. Each round reads the list of a customer once for all of its rows.
import {registerExitNotice} from '../../cli/exit.ts'
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
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {type Service, createService} from '../../payments/protocol/service.ts'
import {readText} from '../../values/records.ts'
import {quoteForShell} from '../../values/text.ts'
import type {PayoutRow} from '../file/rows.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {Halt, type StopReason, haltAfter, pauseUnlessHalted, withSignals} from './halt.ts'
import {noteBadEndingIfPossible} from './pay-row.ts'
import {type ProgressSettings, startWaitProgress} from './progress.ts'
import {type PayoutResult, describeLines, isUnderWay, toCreatedResult} from './result.ts'

interface Following {
  context: PaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
  results: readonly PayoutResult[]
  // Its requests end when the waiting is halted.
  service: Service
  halt: Halt
  // How many lists are read at the same time.
  concurrency: number
  // How much time is left.
  getTimeLeft: () => number
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

async function followRows(following: Following): Promise<void> {
  const {results, rows, halt, getTimeLeft, notice, onChange} = following
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  let pending: FollowedRow[] = results.filter(isUnderWay).flatMap((result) => {
    const row = rowsByKey.get(result.key)
    return row ? [{row, result, seenMs: performance.now()}] : []
  })
  const tolerance = new FailureTolerance(notice)
  const keysWithInstructions = new Set<string>()
  let pauseMs = pauseFirstMs
  while (pending.length > 0 && halt.reason === undefined) {
    const pause = planPause(pauseMs, getTimeLeft())
    await pauseUnlessHalted(pause.durationMs, halt)
    if (!pause.thenRead) return halt.stop('timeout')
    if (halt.reason !== undefined) return
    const before = pending.length
    const startedMs = performance.now()
    try {
      await Promise.race([readRound(following, pending), waitForHalt(halt)])
      tolerance.recover()
    } catch (error) {
      if (!isTolerated(tolerance, error)) halt.stop(isRejectedCredential(error) ? 'credential' : 'service')
    }
    // What was read is reported even if the round failed later, or if it could not be noted.
    for (const {result} of pending) onChange(result)
    announceTransfers(pending, keysWithInstructions, notice)
    pending = pending.filter(({result, seenMs}) => isUnderWay(result) && performance.now() - seenMs < unlistedMsMax)
    // Long lists are not read more than half of the time.
    const isQuick = pending.length < before
    pauseMs = Math.max(isQuick ? pauseFirstMs : lengthenPause(pauseMs), performance.now() - startedMs)
  }
}

const waitForHalt = ({signal}: Halt) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), {once: true})
  })

const isRejectedCredential = (error: unknown) => error instanceof SvcError && error.kind === 'unauthenticated'

// What svc itself did wrong is thrown.
function isTolerated(tolerance: FailureTolerance, error: unknown): boolean {
  if (!(error instanceof SvcError)) throw error
  try {
    tolerance.tolerate(error)
    return true
  } catch {
    return false
  }
}

async function readRound(following: Following, pending: readonly FollowedRow[]): Promise<void> {
  const byCustomer = Map.groupBy(pending, ({row}) => row.content.customerId.toLowerCase())
  await forEachConcurrently([...byCustomer.values()], following.concurrency, async (followed) => {
    if (following.halt.reason === undefined) await readCustomer(following, followed)
  })
}

// Stops as soon as all rows of the customer are found.
async function readCustomer(
  {context, serviceId, service, halt}: Following,
  followed: readonly FollowedRow[],
): Promise<void> {
  const customerId = followed[0]?.row.content.customerId ?? ''
  const missing = new Map(followed.map((one) => [one.result.transaction ?? '', one]))
  for await (const page of service.transactions(customerId)) {
    for (const transaction of page) {
      const id = readText(transaction.transactionId)
      const one = missing.get(id)
      if (!one || !missing.delete(id)) continue
      one.seenMs = performance.now()
      one.result = await updateResult(context, serviceId, one, transaction)
    }
    if (missing.size === 0 || halt.reason !== undefined) return
  }
}

async function updateResult(
  context: PaymentContext,
  serviceId: string,
  {row, result}: FollowedRow,
  transaction: LooseTransaction,
): Promise<PayoutResult> {
  const payment = await context.journal.find(serviceId, row.key)
  if (!payment) throw new Error(`the payment ${row.key} is no longer in the journal`)
  const latest = await noteBadEndingIfPossible(context, payment, transaction)
  const {madeBefore, changes} = result
  return {...toCreatedResult(row, latest, transaction, madeBefore ?? false), ...(changes && {changes})}
}

// Says once of each row that nothing happens until somebody sends the money.
function announceTransfers(
  pending: readonly FollowedRow[],
  keysWithInstructions: Set<string>,
  notice: (text: string) => void,
) {
  const awaiting = pending.filter(
    ({result: {key, status}}) => status?.toUpperCase() === 'AWAITING_TRANSFER' && !keysWithInstructions.has(key),
  )
  for (const {result} of awaiting) keysWithInstructions.add(result.key)
  const [first] = awaiting
  if (!first) return
  const [are, their] = awaiting.length === 1 ? ['row awaits', 'its'] : ['rows await', 'their']
  notice(
    `${awaiting.length} ${are} a transfer (${describeLines(awaiting.map(({row}) => row))}); \`svc transactions get ${quoteForShell(first.result.transaction ?? 'ID')}\` shows ${their} instructions.`,
  )
}

// Waits until every row that was made has ended, with progress, until --timeout ends or the process is interrupted.
export interface WaitSettings {
  isSandbox: boolean
  progressSettings: Omit<ProgressSettings, 'total'>
  // Connects a client whose requests end with the signal.
  connect: (signal: AbortSignal) => Promise<Client>
}

interface Waiting extends Omit<Following, 'service' | 'halt' | 'getTimeLeft'>, WaitSettings {
  // Of the whole run.
  deadlineMs: number
}

// For example: 3 PROCESSING, 1 AWAITING_TRANSFER.
function describeStatuses(results: Iterable<PayoutResult>): string {
  const counts = new Map<string, number>()
  for (const {status = 'without a status'} of results) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
}

// Returns why the waiting stopped before every row had ended.
export async function waitForEnds(waiting: Waiting): Promise<StopReason | undefined> {
  const {results, progressSettings, connect, deadlineMs, onChange, isSandbox, notice} = waiting
  const underWay = new Map(results.filter(isUnderWay).map((result) => [result.key, result]))
  const total = underWay.size
  if (total === 0) return undefined
  const halt = new Halt()
  const getTimeLeft = () => deadlineMs - performance.now()
  const cancelTimeout = haltAfter(halt, Number.isFinite(deadlineMs) ? Math.max(0, getTimeLeft()) : undefined)
  if (canShowLiveLine()) notice(describeWaiting(isSandbox, 'waiting'))
  const progress = startWaitProgress(
    {...progressSettings, total},
    () => total - underWay.size,
    () => describeStatuses(underWay.values()),
  )
  const unregister = registerExitNotice(() => ({
    message: `Stopped waiting; ${underWay.size} of the rows that were made have not ended yet`,
    hint: 'Run the file again with --wait to follow them; nothing is paid twice',
  }))
  try {
    // Nothing is in progress that would have to be finished, so the first signal ends the waiting.
    await withSignals(halt, {onFirst: () => {}}, async () =>
      followRows({
        ...waiting,
        service: createService(await connect(halt.signal)),
        halt,
        getTimeLeft,
        onChange(result) {
          if (isUnderWay(result)) underWay.set(result.key, result)
          else underWay.delete(result.key)
          progress.refresh()
          onChange(result)
        },
      }),
    )
  } finally {
    cancelTimeout()
    progress.end()
    unregister()
  }
  return halt.reason
}
