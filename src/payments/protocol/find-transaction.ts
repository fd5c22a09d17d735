// Finds the transaction of a payment among the customer's transactions.
import {isCutList} from '../../client/paging.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import type {PaymentContext} from './context.ts'
import {SearchFailed, outcomeUnknown, severalTransactions} from './payment-errors.ts'
import {type Payment, deriveCorrelationId} from './payment.ts'
import {type PaymentIds, belongsToPayment} from './send-outcome.ts'
import {ListObserver, noteList} from './witness.ts'

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
  const observer = new ListObserver()
  let isComplete = true
  try {
    for await (const page of service.transactions(payment.content.customerId)) {
      observer.add(page)
      matches.push(...page.filter((transaction) => belongsToPayment(transaction, ids)))
    }
  } catch (error) {
    // A match counts even if the list could not be read to its end.
    if (!isCutList(error) || matches.length === 0) throw error
    isComplete = false
  }
  noteList(observer.finish(isComplete), matches)
  return filterMatches(payment, matches)
}

// Searches before anything is sent. A list that was already read for many payments serves as well.
export async function searchBeforeSend(
  context: PaymentContext,
  payment: Payment,
  readListed: PaymentContext['findListed'],
): Promise<LooseTransaction | undefined> {
  try {
    const matches = readListed ? filterMatches(payment, await readListed(payment)) : await findMatches(context, payment)
    return pickSingleMatch(payment, matches)
  } catch (error) {
    throw error instanceof SvcError && error.kind !== 'unknownOutcome' ? new SearchFailed(error) : error
  }
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

// Reads the transactions of a payment that was made again: the recorded one, and any other that belongs to it. The list may
// not show them yet.
export async function fetchOwnTransactions({service}: PaymentContext, payment: Payment): Promise<LooseTransaction[]> {
  const ids = getPaymentIds(payment)
  const found = new Map<string, LooseTransaction>()
  const observer = new ListObserver()
  for await (const page of service.transactions(payment.content.customerId)) {
    observer.add(page)
    for (const transaction of page) {
      const id = readText(transaction.transactionId)
      if (id !== '' && (id === payment.transactionId || belongsToPayment(transaction, ids))) found.set(id, transaction)
    }
  }
  noteList(observer.finish(true), [...found.values()])
  return [...found.values()]
}

// The fields of a transaction that are used after its list was read: the rest of a long list would fill the memory.
export const keepNeededFields = ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  updatedAt,
  expiresAt,
  source,
  destination,
  fees,
}: LooseTransaction): LooseTransaction => ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  updatedAt,
  expiresAt,
  source: {
    sourcePaymentAccountId: source?.sourcePaymentAccountId,
    sourcePaymentMethod: source?.sourcePaymentMethod,
    sourceCurrency: source?.sourceCurrency,
    sourceAmount: source?.sourceAmount,
  },
  destination: {
    destinationPaymentAccountId: destination?.destinationPaymentAccountId,
    destinationPaymentMethod: destination?.destinationPaymentMethod,
    destinationCurrency: destination?.destinationCurrency,
    destinationAmount: destination?.destinationAmount,
    exchangeRate: destination?.exchangeRate,
  },
  fees,
})
