// Follows the transactions of rows to their end. Each round reads the list of a customer once for all of its rows.
import {lengthenPause, pauseFirstMs, planPause, unlistedMsMax} from '../../cli/watch/pace.ts'
import {FailureTolerance} from '../../cli/watch/failure-tolerance.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {readText} from '../../values/records.ts'
import type {Service} from '../../payments/protocol/service.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {pauseUnlessHalted} from './failure-budget.ts'
import type {Halt} from './halt.ts'
import {noteBadEndingIfPossible} from './note-bad-ending.ts'
import {type PayoutResult, isUnderWay, toCreatedResult} from './result.ts'
import {describeLines} from './row-stop.ts'
import type {PayoutRow} from '../file/rows.ts'
import {quoteForShell} from '../../values/text.ts'

export interface Following {
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

export async function followRows(following: Following): Promise<void> {
  const {context, results, rows, halt, getTimeLeft, notice, onChange} = following
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
    await context.journal.flush().catch(() => halt.stop('journal'))
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
