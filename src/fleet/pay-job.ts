// Pays the row of one job with the code of a run of a file, and decides what becomes of the row: it has ended, or it comes back later.
import {PolicyChanged} from '../controls/decide.ts'
import {SvcError} from '../errors.ts'
import {JournalUnusable} from '../payments/journal/journal.ts'
import type {OpenPaymentContext} from '../payments/context/open-context.ts'
import {settlePayment} from '../payments/protocol/settle.ts'
import {endedError} from '../payments/protocol/errors.ts'
import {unsettledStates} from '../payments/protocol/payment.ts'
import type {Service} from '../payments/protocol/service.ts'
import {CustomerLists} from '../payments/protocol/lists.ts'
import type {Halt} from '../payouts/run/halt.ts'
import {type EndedRow, type RowPayer, createRowContext, endRow, payRow} from '../payouts/run/pay-row.ts'
import {type PayoutResult, listUnreadable, toFailedResult, toMadeResult, toResult} from '../payouts/run/result.ts'
import {type BatchRowState, hasTransaction, retriedStates} from '../payouts/run/row-states.ts'
import {notifyRow, notifyStopped} from '../payouts/run/report-run.ts'
import type {BatchRow} from './batches.ts'
import {BatchGuard, type RowSettings} from './guard.ts'
import {type JobData, type RowJob, hasJob} from './queue.ts'
import {describeError} from './work-log.ts'

// A row that is not settled by then comes back later, and gives its place to another.
const rowWaitMs = 10_000

// Nothing was tried: the batch of the row is not active, or the row had ended.
export type RowOutcome = EndedRow & {isUntouched?: true}

const givenToAnother = ({key}: RowJob) =>
  new SvcError({
    error: 'NOT_TRIED',
    kind: 'unreachable',
    message: `The payment ${key} was not sent: this worker was silent for so long that another one may have the row`,
    hint: 'Nothing was sent by this worker; another one goes on with the row',
  })

// A row that was stopped, rejected or failed is not paid until a person wants it.
const hasFailed = ({heard}: BatchRow) => heard !== undefined && retriedStates.some((state) => state === heard.state)

// What a worker does with each row that it takes: asks whether it may be paid, pays or settles it, and tells a person who has to know.
export class RowWorker {
  readonly #settings: RowSettings
  readonly #context: OpenPaymentContext
  readonly #halt: Halt
  readonly #guard: BatchGuard
  // The lists of the customers are read once per batch.
  readonly #listsByBatch = new Map<string, CustomerLists>()

  constructor(settings: RowSettings, context: OpenPaymentContext, halt: Halt) {
    this.#settings = settings
    this.#context = context
    this.#halt = halt
    this.#guard = new BatchGuard(settings, context)
  }

  // Why the last batch that was paused was, if any.
  get refusal(): SvcError | undefined {
    return this.#guard.refusal
  }

  // A row that may not be paid is treated as one of a paused batch: what may have been paid is settled.
  async payRow(row: BatchRow, job: RowJob): Promise<RowOutcome> {
    let permit: Awaited<ReturnType<BatchGuard['permit']>>
    try {
      permit = row.batchState === 'ACTIVE' ? await this.#guard.permit(row) : undefined
    } catch (error) {
      this.#settings.log('warn', 'Trying again: the approvals could not be read', describeError(error))
      return {result: toResult(row, 'NOT_TRIED')}
    }
    const payer = this.#createPayer(row, job)
    const outcome =
      permit && !hasFailed(row) ? await payRow({...payer, ...permit}, row) : await this.#settle(row, payer)
    if (outcome.failure instanceof PolicyChanged) this.#guard.expire()
    this.#tell(row, outcome)
    return outcome
  }

  // Drops what was read for a batch.
  forgetBatch(batchId: string): void {
    this.#listsByBatch.delete(batchId)
    this.#guard.forgetBatch(batchId)
  }

  // A batch that is paused or cancelled pays nothing new, but what may have been paid is settled.
  #settle(row: BatchRow, payer: RowPayer): Promise<RowOutcome> {
    const {context, serviceId} = payer
    const {journal} = context
    return endRow(payer, row, async (): Promise<RowOutcome> => {
      const known = await journal.find(serviceId, row.key)
      const isUnsettled = known && unsettledStates.includes(known.state)
      const payment = isUnsettled ? await settlePayment(createRowContext(payer), known) : known
      if (payment?.state === 'CREATED') return {result: toMadeResult(row, payment)}
      // Another worker has begun with it, and may go on.
      if (payment && (await journal.findLeaseHolder(serviceId, row.key))) return {result: toResult(row, 'IN_PROGRESS')}
      if (payment?.state === 'REJECTED') return {result: toFailedResult(row, endedError(payment))}
      return {result: toResult(row, 'NOT_TRIED'), isUntouched: true}
    })
  }

  // A row whose worker was suspended for long may have been cancelled meanwhile, or another worker is paying it.
  #createPayer({batchId, allowsDuplicates}: BatchRow, job: RowJob): RowPayer {
    const {database, traits, caller} = this.#settings
    const context = this.#context
    const send: Service['send'] = async (bytes, idempotencyKey) => {
      if (!(await hasJob(database, job).catch(() => false))) throw givenToAnother(job)
      return context.service.send(bytes, idempotencyKey)
    }
    const lists =
      this.#listsByBatch.get(batchId) ?? new CustomerLists({...context, memory: context.journal, isShared: true})
    this.#listsByBatch.set(batchId, lists)
    const {serviceId} = traits
    const duplicateWindowMs = allowsDuplicates ? 0 : caller.duplicateWindowMs
    const service = {...context.service, send}
    return {context: {...context, service, lists}, serviceId, halt: this.#halt, rowWaitMs, duplicateWindowMs}
  }

  // Stored before the row is recorded, so that a worker that is killed in between tells it when the row comes back.
  #tell(row: BatchRow, {result}: RowOutcome): void {
    const {notifier} = this.#settings
    if (notifier && !notifyRow(notifier, row, result)) notifyStopped(notifier, [result], row.batchId)
  }
}

export interface RowDecision {
  // As it is logged and counted.
  state: BatchRowState
  result: PayoutResult
  // What is kept of it besides its payment. Absent if that stays as it was.
  heard?: PayoutResult | null | undefined
  // Absent if the row has ended.
  again?: (Pick<JobData, 'tries' | 'isUnsettled'> & {delayMs: number}) | undefined
}

// A row that may have been paid comes back so soon: the service's list has to show it, or its quote to expire.
const unknownMs = 30_000
// A row that was not sent, because the service or the database failed.
const failedMs = 5_000
// The longest delay, after it has doubled with every try.
const delayMaxMs = 120_000
// A row that was not sent fails after so many tries.
export const triesMax = 12

const computeDelay = (firstMs: number, tries: number) => Math.min(delayMaxMs, firstMs * 2 ** Math.min(triesMax, tries))

// The service's own words may name a person, so the database gets svc's. The codes say the same to a program.
function removeForeignWords(result: PayoutResult, failure: SvcError | undefined): PayoutResult {
  if (!result.error || failure?.statusCode === undefined) return result
  const said = `${result.error.error}, status ${failure.statusCode}`
  const message = failure.kind === 'unreachable' ? `The service failed (${said})` : `The service rejected it (${said})`
  return {...result, error: {...result.error, message}}
}

// Nothing was sent for a row that could not be looked for. A run of a file tells it as UNKNOWN; a
// batch keeps it, and tries again.
const markUnsent = (result: PayoutResult): PayoutResult =>
  result.error?.error === listUnreadable ? {...result, state: 'FAILED'} : result

// The row was not sent, and nothing is wrong with it: what failed may work later.
export const isTemporary = (failure: SvcError | undefined) =>
  failure?.kind === 'unreachable' || failure?.kind === 'bug' || failure instanceof PolicyChanged

export function decideRow(
  row: BatchRow,
  {tries, isUnsettled}: Pick<JobData, 'tries' | 'isUnsettled'>,
  {result: told, failure, isUntouched}: RowOutcome,
): RowDecision {
  const result = markUnsent(removeForeignWords(told, failure))
  const {state} = result
  if (hasTransaction(state)) return {state, result, heard: result.difference === undefined ? null : result}
  if (isUntouched && row.heard && hasFailed(row)) return {state: row.heard.state, result}
  // What was heard of it before is settled: nothing was made.
  if (isUntouched && row.batchState === 'CANCELLED') return {state: 'CANCELLED', result, heard: null}
  if (isUntouched) return {state: 'WAITING', result, again: {tries, isUnsettled: false, delayMs: 0}}
  if (state === 'UNKNOWN') {
    const again = {tries: tries + 1, isUnsettled: true, delayMs: computeDelay(unknownMs, tries)}
    return {state, result, heard: result, again}
  }
  // Another process works on it, the journal was not available, or the worker stopped.
  const isUntried = state === 'IN_PROGRESS' || state === 'NOT_TRIED' || failure instanceof JournalUnusable
  if (isUntried || failure?.error === 'NOT_TRIED') {
    return {state: 'WAITING', result, again: {tries, isUnsettled, delayMs: failedMs}}
  }
  // A row that may have been paid is never given up.
  const isGivenUp = !isUnsettled && tries + 1 >= triesMax
  if (!isTemporary(failure) || isGivenUp) return {state, result, heard: result}
  const again = {tries: tries + 1, isUnsettled, delayMs: computeDelay(failedMs, tries)}
  if (isUnsettled) return {state: 'UNKNOWN', result, again}
  return {state: 'WAITING', result, heard: {...result, state: 'NOT_TRIED'}, again}
}

// What would fail every other row too, so that the worker has to stop: its credential is wrong.
export const isFatal = (failure: SvcError | undefined): failure is SvcError => failure?.kind === 'unauthenticated'
