// What the books say about a payment beside its postings, by names that hledger and beancount both allow.
import type {CompletedPayment} from './figures.ts'

export function listPaymentFields(payment: CompletedPayment): Array<readonly [name: string, value: string]> {
  const fields = {
    transaction: payment.transactionId,
    customer: payment.customerId,
    quote: payment.quoteId,
    completed: payment.completedAt,
    'source-method': payment.source.method,
    'source-reference': payment.source.referenceId,
    'destination-method': payment.destination.method,
    'destination-reference': payment.destination.referenceId,
    'from-quote': payment.fromQuote.join(' '),
  }
  return Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}
