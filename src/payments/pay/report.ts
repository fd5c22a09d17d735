// Reports a payment that was made: its notices, its warnings and its transaction, with --wait the
// final one.
import {type AddNames, readPayeeIds} from '../../accounts/name-columns.ts'
import {type ExitNotice, withExitNotice} from '../../cli/exit.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {type View, createColumn} from '../../cli/output/view.ts'
import {type LooseTransaction, hasFinalStatus, readBadEnding} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {createTransactionView} from '../../transactions/view.ts'
import {createTransactionTarget} from '../../transactions/watch.ts'
import {describeHighFees} from '../../values/money.ts'
import {omitUndefined, readText} from '../../values/records.ts'
import {svc} from '../../values/text.ts'
import {formatUtcTime, toIso} from '../../values/time.ts'
import {describeDifferences} from '../protocol/compare.ts'
import type {PaymentContext, PaymentProgress, PaymentResult} from '../protocol/context.ts'
import {noteBadEnding} from '../protocol/made.ts'
import {findUnlimitedFees} from '../protocol/limits.ts'
import {
  type MadePayment,
  type Payment,
  getLastAttempt,
  isQuoteKey,
  readCorrelationId,
  unsettledStates,
} from '../protocol/payment.ts'
import type {OpenPaymentContext, PayRun} from '../context/open-context.ts'

// Builds a transaction from the journal. It has no status, since only the service knows that.
function toKnownTransaction(payment: MadePayment): LooseTransaction {
  const {transactionId, content, madeAt} = payment
  const {quote, armed} = getLastAttempt(payment) ?? {}
  const {source, destination, customerId} = content
  return omitUndefined({
    transactionId,
    customerId: customerId || undefined,
    quoteId: quote?.id,
    correlationId: readCorrelationId(armed?.bytes),
    source: {...source, sourceCurrency: {label: source.sourceCurrency}},
    destination: {...destination, destinationCurrency: {label: destination.destinationCurrency}},
    createdAt: toIso(madeAt),
  })
}

// Puts the key and the note, which only svc knows, before the columns of a transaction or a quote.
export const addOwnColumns = <T>(
  view: View<T>,
  own: {key?: string | undefined; note?: string | undefined},
): View<T> => {
  const columns = (['key', 'note'] as const).map((name) =>
    createColumn<T>(name, 0, {value: () => own[name], shown: 'screen'}),
  )
  return {...view, columns: [...columns, ...view.columns]}
}

// `addNames` adds the name of the payee where a person reads the receipt.
function createReceiptView(payment: Payment, addNames: AddNames): View<LooseTransaction> {
  const {key, note} = payment
  const view = createTransactionView(getLastAttempt(payment)?.armed?.isGuaranteed)
  return addNames(addOwnColumns(view, {key: isQuoteKey(key) ? undefined : key, note}), readPayeeIds)
}

// Warnings that --quiet does not suppress: the service created something else than was requested.
const listAlerts = ({payment, transaction}: PaymentResult): string[] =>
  transaction ? describeDifferences(payment, transaction) : []

// Says how the payment was made and where its state is from. The journal is not asked: it may be
// away by now.
function announcePayment({notice, alert}: Pick<Reporting, 'notice' | 'alert'>, result: PaymentResult): void {
  const {payment, transaction, readError, wasMadeBefore, wasAdopted} = result
  const {key, madeAt, updatedAt} = payment
  if (wasMadeBefore) {
    notice(`The payment ${key} was made before, at ${formatUtcTime(madeAt ?? updatedAt)}; nothing was sent.`)
  } else if (wasAdopted) {
    notice(`The payment ${key} was found in the service's list and adopted.`)
  }
  if (readError) notice(`Its state at the service could not be read (${readError.message}); shown from the journal.`)
  else if (!transaction) notice("The service's list does not show it yet; shown from the journal.")
  for (const text of listAlerts(result)) alert(text)
}

export const warnOfFees = (share: string) => `the fees are ${describeHighFees(share)}; --max-fee sets a limit`

// A key keeps its transaction even if that failed, and a quote is used once, so paying again takes
// another key or a new quote.
const describeNewTry = (key: string) =>
  isQuoteKey(key)
    ? `The quote is used; to pay again, request a new one with ${svc`quotes create`}`
    : `The key ${key} keeps this transaction; to pay again, choose another key`

// The status that the service shows now decides. If it could not be read, the one that the journal
// noted earlier does.
function findBadEnding({payment, transaction}: PaymentResult): SvcError | undefined {
  const {key, transactionId} = payment
  const ended = transaction && hasFinalStatus(transaction) ? readBadEnding(transaction) : payment.ended
  if (ended === undefined) return undefined
  const message = `The transaction ${transactionId} did not end well: it is ${ended}`
  return new SvcError({error: `TRANSACTION_${ended}`, kind: 'endedBadly', message, hint: describeNewTry(key)})
}

// The receipt shows the transaction as the service returned it, or else as the journal knows it.
export const toReceipt = (result: PaymentResult, addNames: AddNames, failure = findBadEnding(result)): Result =>
  itemResult(
    result.transaction ?? toKnownTransaction(result.payment),
    createReceiptView(result.payment, addNames),
    failure,
  )

// The next step for a person after a payment was made: to follow its transaction, unless that has
// ended.
export function describeNextStep(result: Result): string[] {
  if (result?.kind !== 'item' || result.failure) return []
  const transaction = result.value as LooseTransaction
  const transactionId = readText(transaction.transactionId)
  if (transactionId === '' || hasFinalStatus(transaction)) return []
  return [`To follow it to its end: ${svc`transactions watch ${transactionId}`}`]
}

// The notice that svc prints if it is interrupted while a payment is in progress. Another process
// that holds the payment may still send it.
function toExitNotice({payment: {state, key}, isHeldElsewhere}: PaymentProgress): ExitNotice {
  const hint = `${svc`journal show ${key}`} shows it; the same command run again pays nothing twice`
  if (isHeldElsewhere || unsettledStates.includes(state)) {
    return {message: `Stopped while the payment ${key} was in progress: whether it was made is not known`, hint}
  }
  return {message: `Stopped; the payment ${key} was ${state === 'CREATED' ? 'made' : 'not sent'}`, hint}
}

// The journal cannot be read while the process ends, so the notice says how far the payment had got
// by its last write.
export async function withPaymentExitNotice<Context extends PaymentContext, T>(
  context: Context,
  payment: PaymentProgress['payment'],
  work: (context: Context) => Promise<T>,
): Promise<T> {
  let latest: PaymentProgress = {payment, isHeldElsewhere: false}
  const followed = {...context, onProgress: (progress: PaymentProgress) => (latest = progress)}
  return withExitNotice(() => toExitNotice(latest), work(followed))
}

type Reporting = OpenPaymentContext &
  Pick<PayRun, 'notice' | 'alert' | 'addNames' | 'watch'> & {flags: Pick<PayRun['flags'], 'wait' | 'dry-run'>}

// Reports the result of a run. `isUnseen` says that nobody was asked about the price. `objection`
// says why a payment that was made before is not the one that this run means.
export async function reportPayment(
  run: Reporting,
  result: PaymentResult,
  {isUnseen = false, objection}: {isUnseen?: boolean; objection?: SvcError | undefined} = {},
): Promise<Result> {
  const {flags, alert, addNames} = run
  const {payment, wasMadeBefore} = result
  announcePayment(run, result)
  const {quote, armed} = getLastAttempt(payment) ?? {}
  const highFees =
    quote && isUnseen && !wasMadeBefore
      ? findUnlimitedFees(armed?.limits ?? {}, payment.content, quote.price)
      : undefined
  if (highFees !== undefined) alert(warnOfFees(highFees))
  const failure = findBadEnding(result) ?? objection
  if (flags.wait && !flags['dry-run'] && !failure) return watchPayment(run, result)
  return toReceipt(result, addNames, failure)
}

// Watches the transaction of a payment to its end. A bad end is recorded in the journal. The price
// may change until then, so alerts that were not shown before are shown at the end.
async function watchPayment(run: Reporting, result: PaymentResult): Promise<Result> {
  const {payment, transaction = toKnownTransaction(payment)} = result
  const {transactionId, content} = payment
  const target = createTransactionTarget(run.client, transactionId, {customerId: content.customerId}, transaction)
  const shown = listAlerts(result)

  let latest = transaction
  const read = async () => {
    latest = await target.read()
    await noteBadEnding(run, payment, latest)
    return latest
  }

  const view = createReceiptView(payment, run.addNames)
  const states = Object.entries(target.kind.states).map(([name, state]) => [
    name,
    'next' in state ? {...state, next: () => describeNewTry(payment.key)} : state,
  ])
  const kind = {...target.kind, view, states: Object.fromEntries(states)}

  const exitNotice = () => toExitNotice({payment, isHeldElsewhere: false})
  try {
    return await withExitNotice(exitNotice, run.watch({...target, kind, read}, run.deadline.atMs))
  } finally {
    for (const text of listAlerts({...result, transaction: latest})) if (!shown.includes(text)) run.alert(text)
  }
}
