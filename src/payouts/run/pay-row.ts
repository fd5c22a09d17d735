// Pays one row of a payout file once under its key, and reports what has become of it. A run of a file and the workers of a fleet
// use it alike.
import {SvcError} from '../../errors.ts'
import type {Intent} from '../../payments/journal/journal.ts'
import type {FindObjection, PaymentContext} from '../../payments/protocol/context.ts'
import {payOnce} from '../../payments/protocol/drive.ts'
import {reportMade} from '../../payments/protocol/made.ts'
import {noteNoQuote} from '../../payments/protocol/no-quote.ts'
import {type Payment, getSends} from '../../payments/protocol/payment.ts'
import {wasMadeElsewhere} from '../../payments/protocol/search.ts'
import {omitUndefined} from '../../values/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type Halt, pauseUnlessHalted} from './halt.ts'
import {type PayoutResult, readPayments, tellOutcome, toFailedResult, toMadeResult} from './result.ts'

export interface EndedRow {
  result: PayoutResult
  failure?: SvcError | undefined
  // Why the transaction of a payment that was made could not be read.
  readError?: SvcError | undefined
  // Whether this call made the payment. It may have been made before, by an interrupted run or by another host.
  isMadeHere?: boolean
}

export interface RowPayer {
  context: PaymentContext
  serviceId: string
  halt: Halt
  // How long one row may wait for another process, or to be settled, while the other rows go on.
  rowWaitMs: number
  findObjection?: FindObjection | undefined
  duplicateWindowMs: number
  // The digest of the approved rows that this one is of, if they were approved.
  approved?: string | undefined
}

type RowReporter = Pick<RowPayer, 'context' | 'serviceId'>

const rowCutShort = () =>
  new SvcError({
    error: 'NOT_TRIED',
    kind: 'unreachable',
    message: 'The service did not answer, and the run ended before the next try',
    hint: 'Nothing was paid for this row; run the file again',
  })

// The context of one row: nothing waits longer than one row may, and nothing waits once the run is stopping.
export function createRowContext({context, halt, rowWaitMs}: RowPayer): PaymentContext {
  const endsAt = performance.now() + rowWaitMs
  return {
    ...context,
    remainingMs: () => (halt.reason === undefined ? Math.max(0, endsAt - performance.now()) : 0),
    async pause(ms) {
      if (halt.reason !== undefined) throw rowCutShort()
      await pauseUnlessHalted(ms, halt)
    },
  }
}

const bugError = (cause: unknown) =>
  new SvcError({
    error: 'FAULT',
    kind: 'bug',
    message: `svc failed unexpectedly (${String(cause)})`,
    hint: 'Run the file again to settle what is left, and report this with SVC_DEBUG=1',
    cause,
  })

// What has become of a row, also if the work on it failed. The error is about one try: the journal knows whether the row was, or may
// have been, made before it.
export async function endRow(
  {context, serviceId}: RowReporter,
  row: PayoutRow,
  work: () => Promise<EndedRow>,
): Promise<EndedRow> {
  const {journal, owner} = context
  try {
    return await work()
  } catch (thrown) {
    const failure = thrown instanceof SvcError ? thrown : bugError(thrown)
    const failed = toFailedResult(row, failure)
    // The row is told as refused all the same, if that cannot be kept.
    if (failed.state === 'REJECTED') await noteNoQuote(context, {serviceId, key: row.key}, failure).catch(() => {})
    const recorded = await readPayments(journal, serviceId, [row], owner).catch(() => undefined)
    const {transactionId} = recorded?.get(row.key)?.payment ?? {}
    // What is unknown about a payment that was made is heard from the service, such as that it has two transactions.
    const isAboutMade = failed.state === 'UNKNOWN' && transactionId !== undefined
    const heard = isAboutMade ? {...failed, transaction: transactionId} : failed
    return {result: recorded ? tellOutcome(row, recorded.get(row.key), heard) : heard, failure}
  }
}

const toIntent = (serviceId: string, {key, content, template, slot, note}: PayoutRow): Intent =>
  omitUndefined({serviceId, key, content, template, slot, note})

const countSends = (payment: Payment | undefined) =>
  payment?.attempts.reduce((total, attempt) => total + getSends(attempt), 0) ?? 0

// `known` is what the journal had of the row before. A row that is known to be made is only reported.
export const payRow = (payer: RowPayer, row: PayoutRow, known?: Payment): Promise<EndedRow> =>
  endRow(payer, row, async () => {
    const {serviceId, findObjection, duplicateWindowMs, approved} = payer
    const {limits, isGuaranteed} = row
    const context = createRowContext(payer)
    const order = {intent: toIntent(serviceId, row), limits, isGuaranteed, findObjection, duplicateWindowMs, approved}
    const made = known?.state === 'CREATED' ? reportMade(context, known) : payOnce(context, order)
    const {payment, transaction, readError, wasMadeBefore} = await made
    const hasSent = countSends(payment) > countSends(known)
    const isMadeHere = hasSent && !wasMadeBefore && !wasMadeElsewhere(payment.attempts, transaction ?? {})
    return {result: toMadeResult(row, payment, transaction), readError, isMadeHere}
  })
