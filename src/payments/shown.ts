// What is shown of a payment: its transaction as the service has it, else what the journal knows, and what a person should hear.
import {SvcError, exitCodes} from '../errors.ts'
import type {Result} from '../terminal/result.ts'
import {type Content, correlationIdIn} from './content.ts'
import {differencesIn} from './matches.ts'
import type {Paid} from './pay.ts'
import {type Payment, lastAttempt} from './payment.ts'
import type {Fields} from './service.ts'
import type {World} from './world.ts'

const present = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value))

// In the form of a transaction, with a status missing, since only the service knows that.
export function knownTransaction(payment: Payment): Fields {
  const {transactionId, content, madeAt} = payment
  const {quoteId, bytes} = lastAttempt(payment) ?? {}
  const {source, destination, customerId} = content
  return present({
    transactionId,
    customerId,
    quoteId,
    correlationId: correlationIdIn(bytes),
    source: {...source, sourceCurrency: {label: source.sourceCurrency}},
    destination: {...destination, destinationCurrency: {label: destination.destinationCurrency}},
    createdAt: madeAt === undefined ? undefined : new Date(madeAt).toISOString(),
  })
}

export const settlingNotice =
  'Whether it was paid is not known; looking at what the service has, for a minute or --timeout.'

const timeOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

// What a person should know beyond the transaction.
export function noticesOf({journal}: World, {payment, transaction, wasMade}: Paid): string[] {
  const {place, key, madeAt, updatedAt} = payment
  const wasAdopted = !wasMade && journal.history(place, key).at(-1)?.what === 'ADOPTED'
  return [
    ...(wasMade ? [`The payment ${key} was made before, at ${timeOf(madeAt ?? updatedAt)}; nothing was sent.`] : []),
    ...(wasAdopted ? [`The payment ${key} was found in the service's list and adopted.`] : []),
    ...(transaction ? [] : ["The service's list does not show it yet: this is what the journal knows."]),
    ...(transaction ? differencesIn(payment, transaction).map((one) => `Warning: ${one}.`) : []),
  ]
}

// A key stays with its transaction whatever became of it, so trying again takes another.
export function withKeyHint(result: Result, {key}: Payment): Result {
  const ending = result?.ending
  if (!result || ending?.exitCode !== exitCodes.endedBadly) return result
  const {error, exitCode, message} = ending
  const hint = `The key ${key} stays with this transaction; to pay again, choose another key`
  return {...result, ending: new SvcError({error, exitCode, message, hint})}
}

// What will be paid, in words for whoever is asked about it.
export function paymentInWords(key: string, {customerId, source, destination, developerFee}: Content): string {
  const fee = developerFee && [`developer fee  ${developerFee.developerFeeAmount} (${developerFee.developerFeeType})`]
  return [
    `This pays once, under the key ${key}:`,
    `  pay       ${source.sourceAmount} ${source.sourceCurrency} by ${source.sourcePaymentMethod}`,
    `  from      ${source.sourcePaymentAccountId}`,
    `  to        ${destination.destinationPaymentAccountId}`,
    `  arriving  as ${destination.destinationCurrency} by ${destination.destinationPaymentMethod}`,
    `  customer  ${customerId}`,
    ...(fee ? [`  ${fee[0]}`] : []),
  ].join('\n')
}
