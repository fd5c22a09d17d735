// Pays one row of a payout file once under its key, and reports what has become of it. A run of a file and the workers of a fleet
// use it alike.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {type Intent, JournalUnusable} from '../../payments/journal/journal.ts'
import type {FindObjection, PaymentContext} from '../../payments/protocol/context.ts'
import {noteBadEnding, payOnce} from '../../payments/protocol/drive.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {
  isOverdue,
  pickSingleMatch,
  readTransaction,
  wasMadeElsewhere,
  wasSettledManually,
} from '../../payments/protocol/search.ts'
import type {PayoutRow} from '../file/rows.ts'
import type {CustomerLists} from './customer-lists.ts'
import {type Halt, pauseUnlessHalted} from './halt.ts'
import {type PayoutResult, readPayments, tellOutcome, toFailedResult, toMadeResult} from './result.ts'

export interface EndedRow {
  result: PayoutResult
  failure?: SvcError | undefined
  // Whether this call made the payment. It may have been made before, by an interrupted run or by another host.
  isMadeHere?: boolean
}

export interface RowPayer {
  context: PaymentContext
  serviceId: string
  lists: CustomerLists
  halt: Halt
  // How long one row may wait for another process, or to be settled, while the other rows go on.
  rowWaitMs: number
  findObjection?: FindObjection | undefined
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
export function createRowContext({context, lists, halt, rowWaitMs}: RowPayer): PaymentContext {
  const endsAt = performance.now() + rowWaitMs
  return {
    ...context,
    readListed: (payment, freshFrom) => lists.find(payment, freshFrom),
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
  {context: {journal, owner}, serviceId}: RowReporter,
  row: PayoutRow,
  work: () => Promise<EndedRow>,
): Promise<EndedRow> {
  try {
    return await work()
  } catch (thrown) {
    const failure = thrown instanceof SvcError ? thrown : bugError(thrown)
    const failed = toFailedResult(row, failure)
    const recorded = await readPayments(journal, serviceId, [row], owner).catch(() => undefined)
    const {state, transactionId} = recorded?.get(row.key)?.payment ?? {}
    // What is unknown about a payment that was made is heard from the service, such as that it has two transactions.
    const isAboutMade = failed.state === 'UNKNOWN' && state === 'CREATED' && transactionId !== undefined
    const heard = isAboutMade ? {...failed, transaction: transactionId} : failed
    return {result: recorded ? tellOutcome(row, recorded.get(row.key), heard) : heard, failure}
  }
}

// `known` is what the journal had of the row before. A row that is known to be made is only reported.
export const payRow = (payer: RowPayer, row: PayoutRow, known?: Payment): Promise<EndedRow> =>
  endRow(payer, row, async () => {
    if (known?.state !== 'CREATED') return payOpenRow(payer, row, known)
    return reportMade(payer, row, known, await payer.lists.findIfReadable(known))
  })

const toIntent = (serviceId: string, {key, content, template, slot, note}: PayoutRow): Intent => ({
  serviceId,
  key,
  content,
  ...(template !== undefined && {template}),
  ...(slot !== undefined && {slot}),
  ...(note !== undefined && {note}),
})

const countSends = (payment: Payment | undefined) => payment?.attempts.reduce((total, {sends}) => total + sends, 0) ?? 0

async function payOpenRow(payer: RowPayer, row: PayoutRow, known: Payment | undefined): Promise<EndedRow> {
  const {serviceId, findObjection} = payer
  const {limits, isGuaranteed} = row
  const order = {intent: toIntent(serviceId, row), limits, isGuaranteed, findObjection}
  const {payment, transaction, wasMadeBefore} = await payOnce(createRowContext(payer), order)
  const hasSent = countSends(payment) > countSends(known)
  const isMadeHere = hasSent && !wasMadeBefore && !wasMadeElsewhere(payment, transaction ?? {})
  return {result: toMadeResult(row, payment, transaction), isMadeHere}
}

// The transaction of a payment that was made, undefined if it is not listed yet or cannot be read. Several transactions of one key are
// a matter for a person, unless one has decided already; so is one that the service should list and does not.
async function findMadeTransaction(
  context: PaymentContext,
  payment: Payment,
  transactions: readonly LooseTransaction[] | undefined,
): Promise<LooseTransaction | undefined> {
  if (transactions && transactions.length > 1 && !(await wasSettledManually(payment, context.journal))) {
    pickSingleMatch(payment, transactions)
  }
  const listed = transactions?.find(({transactionId}) => transactionId === payment.transactionId)
  const isMissing = transactions && !listed && isOverdue(context, payment, context.clock.earliest())
  return isMissing ? (await readTransaction(context, payment)).transaction : listed
}

// A payment that was made before. That it ended badly is noted in the journal, unless nothing is to be written; if that fails, for
// example because the disk is full, the next run notes it.
export const reportMade = (
  reporter: RowReporter,
  row: PayoutRow,
  payment: Payment,
  transactions: readonly LooseTransaction[] | undefined,
  isNoted = true,
): Promise<EndedRow> =>
  endRow(reporter, row, async () => {
    const {context} = reporter
    const transaction = await findMadeTransaction(context, payment, transactions)
    if (!transaction || !isNoted) return {result: toMadeResult(row, payment, transaction)}
    const latest = await noteBadEnding(context, payment, transaction).catch((error: unknown) => {
      if (error instanceof JournalUnusable) return payment
      throw error
    })
    return {result: toMadeResult(row, latest, transaction)}
  })
