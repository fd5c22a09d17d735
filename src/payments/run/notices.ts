// What is shown of a payment: its transaction, and the notices and warnings that go with it.
import {SvcError} from '../../errors.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {formatUtcTime, toInstantMs} from '../../values/time.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {hasFinalStatus, readBadEnding} from '../protocol/bad-ending.ts'
import {describeDifferences} from '../protocol/differences.ts'
import type {LeaseOwner} from '../protocol/lease-owner.ts'
import type {PaymentResult} from '../protocol/pay.ts'
import {type Payment, getLastAttempt} from '../protocol/payment.ts'
import {isQuoteKey} from '../protocol/quote-key.ts'
import {readCorrelationId} from '../protocol/payment-content.ts'

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

export const settlingNotice =
  'The outcome of the payment is unknown; svc looks for it at the service for a minute, or for --timeout.'

function formatSlot(slot: string | undefined): string | undefined {
  const atMs = toInstantMs(slot)
  return atMs === undefined ? undefined : formatUtcTime(atMs)
}

// Another time of the same slot was paid before. That may be a retry, or a schedule whose slots are too long.
function describeEarlierRun({key, slot: before, madeAt, updatedAt}: Payment, slot: string | undefined): string {
  const made = `The payment ${key} was made before, at ${formatUtcTime(madeAt ?? updatedAt)}`
  const [paid, present] = [formatSlot(before), formatSlot(slot)]
  if (!paid || !present || paid === present) return `${made}; nothing was sent.`
  return `${made}, for ${paid}; ${present} is in the same slot, so nothing was sent.`
}

// `slot` is the time of this run's slot, if its key has one.
export async function buildNotices({journal}: PaymentContext, result: PaymentResult, slot?: string): Promise<string[]> {
  const {payment, transaction, readError, wasMadeBefore} = result
  const {serviceId, key} = payment
  const wasAdopted = !wasMadeBefore && (await journal.history(serviceId, key)).at(-1)?.what === 'ADOPTED'
  return [
    ...(wasMadeBefore ? [describeEarlierRun(payment, slot)] : []),
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
