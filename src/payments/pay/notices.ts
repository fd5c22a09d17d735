// What is shown of a payment: its transaction, and the notices and warnings that go with it.
import {type ExitNotice, withExitNotice} from '../../cli/exit.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {type AddNames, readPayeeIds} from '../../accounts/name-columns.ts'
import type {Column, View} from '../../cli/output/view.ts'
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {createTransactionView, transactionView} from '../../transactions/view.ts'
import {readText} from '../../values/records.ts'
import {quoteForShell} from '../../values/text.ts'
import {formatUtcTime, toInstantMs} from '../../values/time.ts'
import type {LeaseOwner} from '../journal/journal.ts'
import type {PaymentContext, PaymentProgress} from '../protocol/context.ts'
import {describeDifferences} from '../protocol/differences.ts'
import {findUnlimitedFees} from '../protocol/limits.ts'
import type {PaymentOrder, PaymentResult} from '../protocol/pay.ts'
import {
  type Payment,
  getLastAttempt,
  hasFinalStatus,
  isQuoteKey,
  readBadEnding,
  readCorrelationId,
  unsettledStates,
} from '../protocol/payment.ts'
import {describeHighFees} from '../../values/money.ts'

// Builds a transaction from the journal. It has no status, since only the service knows that.
export function toKnownTransaction(payment: Payment): LooseTransaction {
  const {transactionId, content, madeAt} = payment
  const {quoteId, bytes} = getLastAttempt(payment) ?? {}
  const {source, destination, customerId} = content
  const correlationId = readCorrelationId(bytes)
  return {
    ...(transactionId && {transactionId}),
    ...(customerId && {customerId}),
    ...(quoteId && {quoteId}),
    ...(correlationId ? {correlationId} : {}),
    source: {...source, sourceCurrency: {label: source.sourceCurrency}},
    destination: {...destination, destinationCurrency: {label: destination.destinationCurrency}},
    ...(madeAt !== undefined && {createdAt: new Date(madeAt).toISOString()}),
  }
}

// A receipt: the transaction, and what only svc knows of it. `addNames` adds whom it goes to, where a person reads it.
export function createReceiptView(
  payment: Payment,
  addNames: AddNames,
  isGuaranteed?: boolean,
): View<LooseTransaction> {
  const {key, note} = payment
  const view = createTransactionView(isGuaranteed ?? getLastAttempt(payment)?.isGuaranteed)
  return addNames(addOwnColumns(view, {key: isQuoteKey(key) ? undefined : key, note}), readPayeeIds)
}

interface OwnFields {
  key?: string | undefined
  note?: string | undefined
}

function addOwnColumns(view: View<LooseTransaction>, fields: OwnFields): View<LooseTransaction> {
  const own = (['key', 'note'] as const).map((name) => createOwnColumn<LooseTransaction>(name, () => fields[name]))
  return {...view, columns: [...own, ...view.columns]}
}

// The columns that --columns can name.
export const createReceiptsView = (): View<LooseTransaction> => addOwnColumns(transactionView, {})

const createOwnColumn = <T>(name: string, value: Column<T>['value']): Column<T> => ({
  name,
  header: name.toUpperCase(),
  value,
  rank: 0,
  isTableOnly: true,
  hidesEmpty: true,
})

export const describeSettling = (waits: boolean) =>
  `The outcome of the payment is unknown; svc looks for it at the service ${waits ? 'until it is known' : 'for a minute'}, or for --timeout.`

const describeEarlierRun = ({key, madeAt, updatedAt}: Payment): string =>
  `The payment ${key} was made before, at ${formatUtcTime(madeAt ?? updatedAt)}; nothing was sent.`

export async function buildNotices({journal}: PaymentContext, result: PaymentResult): Promise<string[]> {
  const {payment, transaction, readError, wasMadeBefore} = result
  const {serviceId, key} = payment
  const wasAdopted = !wasMadeBefore && (await journal.history(serviceId, key)).at(-1)?.what === 'ADOPTED'
  return [
    ...(wasMadeBefore ? [describeEarlierRun(payment)] : []),
    ...(wasAdopted ? [`The payment ${key} was found in the service's list and adopted.`] : []),
    ...(readError
      ? [`Its state at the service could not be read (${readError.message}); shown from the journal.`]
      : []),
    ...(transaction || readError ? [] : ["The service's list does not show it yet; shown from the journal."]),
  ]
}

// Warnings that --quiet does not suppress: the service created something else than was requested.
export const buildAlerts = ({payment, transaction}: PaymentResult): string[] =>
  transaction ? describeDifferences(payment, transaction) : []

export const warnOfFees = (share: string) => `the fees are ${describeHighFees(share)}; --max-fee sets a limit`

// Of a payment that this run made at a price that nobody was asked about.
export function findFeeWarning({payment, wasMadeBefore}: PaymentResult): string | undefined {
  const {price, limits = {}} = getLastAttempt(payment) ?? {}
  const share = wasMadeBefore || !price ? undefined : findUnlimitedFees(limits, payment.content, price)
  return share && warnOfFees(share)
}

export const waitingNotice = ({key}: Payment, {pid, host}: LeaseOwner) =>
  `Another process (${pid} on ${host}) is working on the payment ${key}; waiting for it.`

// Shown even with --quiet: the key now stands for another payment than before.
export const changedNotice = ({key}: Payment, changes: readonly string[]) =>
  `The payment ${key} is not as in an earlier run, which paid nothing for it (${changes.join('; ')}); svc pays it as it is now`

// A key keeps its transaction even if that failed, so paying again takes another key, and so does a quote.
export const describeNextKey = ({key}: Payment) =>
  isQuoteKey(key)
    ? 'The quote is used; to pay again, request a new one with `svc quotes create`'
    : `The key ${key} keeps this transaction; to pay again, choose another key`

// What the service says now counts. If it could not be read, what the journal noted earlier does.
export function findBadEnding({payment, transaction}: PaymentResult): SvcError | undefined {
  const ended = transaction && hasFinalStatus(transaction) ? readBadEnding(transaction) : payment.ended
  if (ended === undefined) return undefined
  return new SvcError({
    error: `TRANSACTION_${ended}`,
    kind: 'endedBadly',
    message: isQuoteKey(payment.key)
      ? `The transaction ${payment.transactionId} did not end well: it is ${ended}`
      : `The payment ${payment.key} did not end well: its transaction ${payment.transactionId} is ${ended}`,
    hint: describeNextKey(payment),
  })
}

// What a person may do after a payment was made: follow its transaction.

// Nothing for a transaction that has ended.
export function describeNextStep(result: Result): string[] {
  if (result?.kind !== 'item' || result.failure) return []
  const transaction = result.value as LooseTransaction
  const transactionId = readText(transaction.transactionId)
  if (transactionId === '' || hasFinalStatus(transaction)) return []
  return [`To follow it to its end: svc transactions watch ${quoteForShell(transactionId)}`]
}

// The exit notices of a payment: what svc prints if it is interrupted while a payment is in progress.
function toExitNotice({state, key, transactionId}: Payment, isHeldElsewhere: boolean): ExitNotice {
  if (state === 'CREATED') {
    return {
      message: `Stopped; the payment ${key} was made`,
      ...(transactionId !== undefined && {hint: `See \`svc transactions get ${quoteForShell(transactionId)}\``}),
    }
  }
  if (isHeldElsewhere) {
    return {
      message: `Stopped waiting: another process is working on the payment ${key}`,
      hint: `Follow it with \`svc journal show ${quoteForShell(key)}\``,
    }
  }
  if (unsettledStates.includes(state)) {
    return {
      message: `Stopped while the payment ${key} was in progress: whether it was made is not known`,
      hint: 'Run the same command again to settle it without paying twice',
    }
  }
  return {message: `Stopped; the payment ${key} was not sent`}
}

// The journal cannot be read while the process ends, so the notice says how far the payment had got by its last write.
export async function withPaymentExitNotice<Context extends PaymentContext, T>(
  context: Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  let latest: PaymentProgress | undefined
  const followed = {...context, onProgress: (progress: PaymentProgress) => (latest = progress)}
  return withExitNotice(() => latest && toExitNotice(latest.payment, latest.isHeldElsewhere), work(followed))
}

// While the transaction of a payment is watched, the payment is made.
export const withMadeExitNotice = <T>(payment: Payment, work: Promise<T>): Promise<T> =>
  withExitNotice(() => toExitNotice(payment, false), work)

// While earlier slots are being settled, nothing has been sent for this one.
export const withSlotExitNotice = <T>(key: string, work: Promise<T>): Promise<T> =>
  withExitNotice(
    () => ({
      message: `Stopped; the payment ${key} was not sent, since an earlier slot is not settled yet`,
      hint: 'Run the same command again, which settles it first',
    }),
    work,
  )

// The price of a payment as a result to print.

// How long the quote is still valid by the service's clock.
export const calculateLifeMs = ({clock}: PaymentContext, quote: LooseQuote) =>
  Math.max(0, (toInstantMs(quote.expiresAt) ?? 0) - clock.latest())

export function toQuoteResult(
  context: PaymentContext,
  {intent: {key, content}, isGuaranteed}: PaymentOrder,
  quote: LooseQuote,
  {addNames, failure}: {addNames: AddNames; failure: SvcError | undefined},
): Result {
  const lifeMs = calculateLifeMs(context, quote)
  const view = createQuoteView({body: {...content, guaranteeQuote: isGuaranteed}, lifeMs})
  const columns = [createOwnColumn('key', () => key), ...view.columns]
  return itemResult(
    quote,
    addNames({...view, columns}, () => readPayeeIds(content)),
    failure,
  )
}
