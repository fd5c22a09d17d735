// Looks for a payment among the customer's transactions.
import {normalizeAmount} from '../validation/money.ts'
import {belongsToPayment} from './send-outcome.ts'
import {type PaymentContent, readContent, deriveCorrelationId, isContentKnown} from './payment-content.ts'
import {outcomeUnknown, severalTransactions} from './payment-errors.ts'
import type {Payment} from './payment.ts'
import type {Fields} from './service.ts'
import type {PaymentContext} from './context.ts'

const getTransactionId = ({transactionId}: Fields) => (typeof transactionId === 'string' ? transactionId : '')

export const getPaymentIds = ({serviceId, key, attempts}: Payment) => ({
  quoteIds: attempts.map(({quoteId}) => quoteId),
  correlationId: deriveCorrelationId(serviceId, key),
})

// Those among them that are this payment, once each: a page may show again what moved down from the last.
export function filterMatches(payment: Payment, transactions: Iterable<Fields>): Fields[] {
  const ids = getPaymentIds(payment)
  const found = new Map<string, Fields>()
  for (const one of transactions) if (belongsToPayment(one, ids)) found.set(getTransactionId(one), one)
  // It is there and cannot be named: that is not the same as not being there.
  if (found.has('')) throw outcomeUnknown(payment, 'the service lists it without an id')
  return [...found.values()]
}

// Every transaction of the customer that is this payment, by a list that was read to its end.
export async function findMatches({service}: PaymentContext, payment: Payment): Promise<Fields[]> {
  const all: Fields[] = []
  const ids = getPaymentIds(payment)
  for await (const page of service.transactions(payment.content.customerId)) {
    all.push(...page.filter((one) => belongsToPayment(one, ids)))
  }
  return filterMatches(payment, all)
}

// The one match, if there is one. Several are for a person to decide.
export function pickSingleMatch(payment: Payment, matches: readonly Fields[]): Fields | undefined {
  if (matches.length > 1) throw severalTransactions(payment, matches.map(getTransactionId))
  return matches[0]
}

// A difference is worth telling; it is never a reason to pay again.
export function describeDifferences({content}: Payment, transaction: Fields): string[] {
  if (!isContentKnown(content)) return []
  const {source, destination} = readContent(transaction)
  const compared = [
    [normalizeAmount(source.sourceAmount), normalizeAmount(content.source.sourceAmount)],
    [source.sourceCurrency.toUpperCase(), content.source.sourceCurrency.toUpperCase()],
    [destination.destinationPaymentAccountId, content.destination.destinationPaymentAccountId],
  ]
  // What the service leaves out is no difference.
  if (compared.every(([has, meant]) => has === '' || has === meant)) return []
  const inWords = (one: Pick<PaymentContent, 'source' | 'destination'>) =>
    [
      [one.source.sourceAmount, one.source.sourceCurrency].filter(Boolean).join(' '),
      ...(one.destination.destinationPaymentAccountId ? [`to ${one.destination.destinationPaymentAccountId}`] : []),
    ].join(' ')
  return [`the service has ${inWords({source, destination})}, and ${inWords(content)} was meant`]
}

// The transaction with this id, read again; a list may lag behind.
export async function fetchTransaction(
  {service}: PaymentContext,
  {content, transactionId}: Payment,
): Promise<Fields | undefined> {
  for await (const page of service.transactions(content.customerId)) {
    const found = page.find((one) => one['transactionId'] === transactionId)
    if (found) return found
  }
  return undefined
}
