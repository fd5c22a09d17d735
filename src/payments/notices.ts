// What is shown of a payment: its transaction as the service has it, else what the journal knows, and what a person should hear.
import {SvcError} from '../errors.ts'
import type {Result} from '../cli/output/result.ts'
import {readCorrelationId} from './payment-content.ts'
import {describeDifferences} from './find-transaction.ts'
import type {LeaseOwner} from './lease-owner.ts'
import type {PaymentResult} from './pay.ts'
import {type Payment, getLastAttempt} from './payment.ts'
import type {Fields} from './service.ts'
import type {PaymentContext} from './context.ts'

const omitEmpty = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value))

// In the form of a transaction, with a status missing, since only the service knows that.
export function toKnownTransaction(payment: Payment): Fields {
  const {transactionId, content, madeAt} = payment
  const {quoteId, bytes} = getLastAttempt(payment) ?? {}
  const {source, destination, customerId} = content
  return omitEmpty({
    transactionId,
    customerId,
    quoteId,
    correlationId: readCorrelationId(bytes),
    source: {...source, sourceCurrency: {label: source.sourceCurrency}},
    destination: {...destination, destinationCurrency: {label: destination.destinationCurrency}},
    createdAt: madeAt === undefined ? undefined : new Date(madeAt).toISOString(),
  })
}

export const settlingNotice =
  'Whether it was paid is not known; looking at what the service has, for a minute or --timeout.'

const formatTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

// What a person should know beyond the transaction.
export function buildNotices(
  {journal}: PaymentContext,
  {payment, transaction, readError, wasMadeBefore}: PaymentResult,
): string[] {
  const {serviceId, key, madeAt, updatedAt} = payment
  const wasAdopted = !wasMadeBefore && journal.history(serviceId, key).at(-1)?.what === 'ADOPTED'
  return [
    ...(wasMadeBefore
      ? [`The payment ${key} was made before, at ${formatTime(madeAt ?? updatedAt)}; nothing was sent.`]
      : []),
    ...(wasAdopted ? [`The payment ${key} was found in the service's list and adopted.`] : []),
    ...(readError
      ? [`Its present state could not be read (${readError.message}): this is what the journal knows.`]
      : []),
    ...(transaction || readError ? [] : ["The service's list does not show it yet: this is what the journal knows."]),
  ]
}

// What was made otherwise than was meant, which has to be heard whatever else is not.
export const buildAlerts = ({payment, transaction}: PaymentResult): string[] =>
  transaction ? describeDifferences(payment, transaction) : []

export const waitingNotice = ({key}: Payment, {pid, host}: LeaseOwner) =>
  `Another process (${pid} on ${host}) works on the payment ${key}; waiting for it.`

// A key stays with its transaction whatever became of it, so trying again takes another.
export function addKeyHint(result: Result, {key}: Payment): Result {
  const failure = result?.failure
  if (!result || failure?.kind !== 'endedBadly') return result
  const {error, kind, message} = failure
  const hint = `The key ${key} stays with this transaction; to pay again, choose another key`
  return {...result, failure: new SvcError({error, kind, message, hint})}
}
