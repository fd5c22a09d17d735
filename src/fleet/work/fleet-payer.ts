// Pays the rows that a worker takes, with the same code as a run of a file. The lists of the customers are read once per batch.
import {PolicyChanged} from '../../controls/decide.ts'
import {SvcError} from '../../errors.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {settlePayment} from '../../payments/protocol/drive.ts'
import {endedError} from '../../payments/protocol/errors.ts'
import {type Payment, unsettledStates} from '../../payments/protocol/payment.ts'
import type {Service} from '../../payments/protocol/service.ts'
import type {OpenPaymentContext} from '../../payments/pay/open-context.ts'
import {CustomerLists} from '../../payouts/run/customer-lists.ts'
import type {Halt} from '../../payouts/run/halt.ts'
import {
  type RowPayer,
  createRowContext,
  payRow,
  reportCreated,
  reportFailed,
  sendUnlessEnding,
} from '../../payouts/run/pay-row.ts'
import {type PayoutResult, toBaseResult, toFailedResult} from '../../payouts/run/result.ts'
import type {BatchRowState} from '../../payouts/run/row-states.ts'
import type {BatchRow} from '../batches/batch.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type RowJob, hasJob} from '../batches/queue.ts'
import type {WorkStatistics} from './work-log.ts'

// A row that is not settled by then comes back later, and gives its place to another.
const rowWaitMs = 10_000

interface FleetPayerSettings {
  context: OpenPaymentContext
  database: PostgresDatabase
  serviceId: string
  halt: Halt
  statistics: WorkStatistics
}

const givenToAnother = ({key}: RowJob) =>
  new SvcError({
    error: 'NOT_TRIED',
    kind: 'unreachable',
    message: `The payment ${key} was not sent: this worker was silent for so long that another one may have the row`,
    hint: 'Nothing was sent by this worker; another one goes on with the row',
  })

export class FleetPayer {
  readonly #settings: FleetPayerSettings
  readonly #service: Service
  readonly #listsByBatch = new Map<string, CustomerLists>()

  constructor(settings: FleetPayerSettings) {
    this.#settings = settings
    this.#service = sendUnlessEnding(settings.context.service, settings.halt)
  }

  // Pays one row, or settles it if its batch is not active.
  async payRow(row: BatchRow, job: RowJob): Promise<RowOutcome> {
    const {context, serviceId, statistics} = this.#settings
    const isRepeated = job.retryCount > 0 || row.tries > 0 || row.wasMadeBefore || row.state === 'UNKNOWN'
    const isPaying = row.batchState === 'ACTIVE'
    try {
      const known = isRepeated || !isPaying ? await context.journal.find(serviceId, row.key) : undefined
      // Its worker ended in the middle of the payment.
      if (job.retryCount > 0 && known && known.state !== 'CREATED') statistics.addTakeover()
      if (!isPaying) return await this.#settleOnly(row, known)
      return await this.#pay(row, job, known)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      return {
        result: await reportFailed(context, serviceId, row, error).catch(() => toBaseResult(row, 'NOT_TRIED')),
        failure: error,
      }
    }
  }

  // Drops what was read for a batch.
  forgetBatch(batchId: string): void {
    this.#listsByBatch.delete(batchId)
  }

  #pay(row: BatchRow, job: RowJob, known: Payment | undefined): Promise<RowOutcome> {
    return payRow(this.#createPayer(row.batchId, this.#sendWhileOwned(job)), row, known)
  }

  // A row whose worker was suspended for long may have been cancelled meanwhile, or another worker is paying it.
  #sendWhileOwned(job: RowJob): Service {
    const {context, database, halt} = this.#settings
    const send: Service['send'] = async (bytes, idempotencyKey) => {
      if (!(await hasJob(database, job).catch(() => false))) throw givenToAnother(job)
      return context.service.send(bytes, idempotencyKey)
    }
    return sendUnlessEnding({...context.service, send}, halt)
  }

  // A batch that is paused or cancelled pays nothing new, but what may have been paid is settled.
  async #settleOnly(row: BatchRow, known: Payment | undefined): Promise<RowOutcome> {
    const {serviceId} = this.#settings
    const context = createRowContext(this.#createPayer(row.batchId, this.#service))
    try {
      const payment = known && unsettledStates.includes(known.state) ? await settlePayment(context, known) : known
      if (payment?.state === 'CREATED') return {result: await reportCreated(context, row, payment, [])}
      // Another worker has begun with it, and may go on.
      if (payment && (await context.journal.findLeaseHolder(payment.serviceId, row.key))) {
        return {result: toBaseResult(row, 'IN_PROGRESS')}
      }
      if (payment?.state === 'REJECTED') {
        return {result: toFailedResult(row, endedError(payment))}
      }
      const becomes = row.batchState === 'CANCELLED' ? 'CANCELLED' : 'WAITING'
      return {result: toBaseResult(row, 'NOT_TRIED'), becomes}
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      return {result: await reportFailed(context, serviceId, row, error), failure: error}
    }
  }

  #createPayer(batchId: string, service: Service): RowPayer {
    const {context, serviceId, halt} = this.#settings
    const lists = this.#listsByBatch.get(batchId) ?? new CustomerLists({...context, service: this.#service})
    this.#listsByBatch.set(batchId, lists)
    return {context: {...context, service}, serviceId, lists, halt, rowWaitMs}
  }
}

// Decides what becomes of a row after one try: it has ended, or it comes back later.
export interface RowOutcome {
  result: PayoutResult
  failure?: SvcError | undefined
  // What the row becomes although nothing was tried, since its batch is not active: it waits again, or it was cancelled.
  becomes?: 'WAITING' | 'CANCELLED'
}

// Absent fields: without a state the row was not tried at all; without a delay it has ended.
interface RowDecision {
  state?: BatchRowState
  result: PayoutResult
  // How long until the row is tried again.
  delayMs?: number
}

export interface RetryDelays {
  // A row that may have been paid: the service's list has to show it, or its quote to expire.
  unknownMs: number
  // A row that was not sent, because the service or the database failed.
  failedMs: number
  // The longest delay, after it has doubled with every try.
  maxMs: number
  // A row that was not sent fails after so many tries.
  triesMax: number
}

export const retryDelays: RetryDelays = {unknownMs: 30_000, failedMs: 5_000, maxMs: 120_000, triesMax: 12}

const doublingsMax = 10

const computeDelay = (firstMs: number, tries: number, {maxMs}: RetryDelays) =>
  Math.min(maxMs, firstMs * 2 ** Math.min(doublingsMax, tries))

// The service's own words may name a person, so the database gets svc's. The codes say the same to a program.
function removeForeignWords(result: PayoutResult, failure: SvcError | undefined): PayoutResult {
  const isForeign = failure?.kind === 'refused' || failure?.kind === 'notFound' || failure?.kind === 'unreachable'
  if (!result.error || !isForeign || failure.statusCode === undefined) return result
  const said = `${result.error.error}, status ${failure.statusCode}`
  const message = failure.kind === 'unreachable' ? `The service failed (${said})` : `The service rejected it (${said})`
  return {...result, error: {...result.error, message}}
}

// The row was not sent, and nothing is wrong with it: what failed may work later.
const isTemporary = (failure: SvcError) =>
  failure.kind === 'unreachable' || failure.kind === 'bug' || failure instanceof PolicyChanged

export function decideRow(row: BatchRow, outcome: RowOutcome, delays: RetryDelays = retryDelays): RowDecision {
  const {failure} = outcome
  const {madeBefore, ...rest} = removeForeignWords(outcome.result, failure)
  const result: PayoutResult = {...rest, ...(madeBefore && row.wasMadeBefore && {madeBefore})}
  const {state} = result
  if (outcome.becomes === 'CANCELLED') return {state: 'CANCELLED', result}
  if (outcome.becomes === 'WAITING') return {state: 'WAITING', result, delayMs: 0}
  if (state === 'UNKNOWN') return {state, result, delayMs: computeDelay(delays.unknownMs, row.tries, delays)}
  // Another process works on it, the journal was not available, or the worker stopped.
  const isUntried = state === 'IN_PROGRESS' || state === 'NOT_TRIED' || failure instanceof JournalUnusable
  if (isUntried || failure?.error === 'NOT_TRIED') return {result, delayMs: delays.failedMs}
  const isPutOff = failure !== undefined && isTemporary(failure)
  // A row that may have been paid is never given up.
  if (!isPutOff || (row.state !== 'UNKNOWN' && row.tries + 1 >= delays.triesMax)) return {state, result}
  return {state: row.state, result, delayMs: computeDelay(delays.failedMs, row.tries, delays)}
}

// What would fail every other row too, so that the worker has to stop: its credential is wrong.
export const isFatal = (failure: SvcError | undefined): failure is SvcError => failure?.kind === 'unauthenticated'
