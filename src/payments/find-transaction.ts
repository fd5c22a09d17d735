// Finds the transaction of a payment among the customer's transactions.
import type {LooseTransaction} from '../contract/loose.ts'
import {normalizeAmount} from '../validation/money.ts'
import type {PaymentContext} from './context.ts'
import type {Payment} from './payment.ts'
import {type PaymentContent, deriveCorrelationId, isContentKnown, readContent} from './payment-content.ts'
import {outcomeUnknown, severalTransactions} from './payment-errors.ts'
import {readText} from './read-text.ts'
import {type PaymentIds, belongsToPayment} from './send-outcome.ts'

export const getPaymentIds = ({serviceId, key, attempts}: Payment): PaymentIds => ({
  quoteIds: attempts.map(({quoteId}) => quoteId),
  correlationId: deriveCorrelationId(serviceId, key),
})

// Returns each match once: a page may repeat transactions that moved down from the page before.
export function filterMatches(payment: Payment, transactions: Iterable<LooseTransaction>): LooseTransaction[] {
  const ids = getPaymentIds(payment)
  const found = new Map<string, LooseTransaction>()
  for (const transaction of transactions) {
    if (belongsToPayment(transaction, ids)) found.set(readText(transaction.transactionId), transaction)
  }
  // A transaction without an id exists, but cannot be recorded.
  if (found.has('')) throw outcomeUnknown(payment, 'the service lists it without an id')
  return [...found.values()]
}

// Reads the customer's list to its end.
export async function findMatches({service}: PaymentContext, payment: Payment): Promise<LooseTransaction[]> {
  const matches: LooseTransaction[] = []
  const ids = getPaymentIds(payment)
  for await (const page of service.transactions(payment.content.customerId)) {
    matches.push(...page.filter((transaction) => belongsToPayment(transaction, ids)))
  }
  return filterMatches(payment, matches)
}

// A person has to decide between several matches.
export function pickSingleMatch(payment: Payment, matches: readonly LooseTransaction[]): LooseTransaction | undefined {
  if (matches.length > 1) {
    throw severalTransactions(
      payment,
      matches.map(({transactionId}) => readText(transactionId)),
    )
  }
  return matches[0]
}

const describeRoute = ({source, destination}: Pick<PaymentContent, 'source' | 'destination'>) =>
  [
    [source.sourceAmount, source.sourceCurrency].filter(Boolean).join(' '),
    ...(destination.destinationPaymentAccountId ? [`to ${destination.destinationPaymentAccountId}`] : []),
  ].join(' ')

// A difference is reported. It is never a reason to pay again.
export function describeDifferences({content}: Payment, transaction: LooseTransaction): string[] {
  if (!isContentKnown(content)) return []
  const {source, destination} = readContent(transaction)
  const compared = [
    [normalizeAmount(source.sourceAmount), normalizeAmount(content.source.sourceAmount)],
    [source.sourceCurrency.toUpperCase(), content.source.sourceCurrency.toUpperCase()],
    [destination.destinationPaymentAccountId, content.destination.destinationPaymentAccountId],
  ]
  // A field that the service leaves out is not a difference.
  if (compared.every(([actual, intended]) => actual === '' || actual === intended)) return []
  return [`the service has ${describeRoute({source, destination})}, but ${describeRoute(content)} was requested`]
}

// Reads the transaction again by its id. Undefined if the list does not show it yet.
export async function fetchTransaction(
  {service}: PaymentContext,
  {content, transactionId}: Payment,
): Promise<LooseTransaction | undefined> {
  for await (const page of service.transactions(content.customerId)) {
    const found = page.find((transaction) => transaction.transactionId === transactionId)
    if (found) return found
  }
  return undefined
}
