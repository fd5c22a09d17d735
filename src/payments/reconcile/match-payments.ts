// Joins the payments of the journal with the transactions of the service's list, for reconcile and
// for the books.
import type {LooseTransaction} from '../../contract/loose.ts'
import {walkPayments} from '../journal/walk.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {ListedTransactions} from '../protocol/lists/listed-transactions.ts'
import type {Payment} from '../protocol/payment.ts'

export interface Match {
  payment: Payment
  transactions: LooseTransaction[]
}

// Every payment of the service, newest first, with the transactions that belong to it. The journal
// has to be read after the list, so that what svc made is in it.
export async function* matchPayments(
  journal: Pick<PaymentContext['journal'], 'list'>,
  serviceId: string,
  listed: ListedTransactions,
): AsyncGenerator<Match> {
  for await (const page of walkPayments(journal, {serviceId})) {
    for (const payment of page) {
      yield {payment, transactions: await listed.findOwn(payment, journal)}
    }
  }
}
