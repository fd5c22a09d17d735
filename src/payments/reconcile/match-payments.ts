// Joins the payments of the journal with the transactions of the service's list, for reconcile and for the books.
import type {LooseTransaction} from '../../contract/loose.ts'
import {readText} from '../../values/records.ts'
import {walkPayments} from '../journal/entries.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {type Payment, isDerivedCorrelationId} from '../protocol/payment.ts'
import {type ListReader, getPaymentIds, omitInstructions, readList} from '../protocol/search.ts'

// Those that lack the id are in no group.
function groupBy(transactions: readonly LooseTransaction[], readId: (transaction: LooseTransaction) => unknown) {
  const groups = Map.groupBy(transactions, (transaction) => readText(readId(transaction)))
  groups.delete('')
  return groups
}

// The service's transactions, each once, as they were when they were read last.
export class ListedTransactions {
  readonly #byId: ReadonlyMap<string, LooseTransaction>
  readonly #byCorrelationId: ReadonlyMap<string, LooseTransaction[]>
  // Without those that have a correlationId of svc's: such a one is of the payment that it names.
  readonly #byQuoteId: ReadonlyMap<string, LooseTransaction[]>
  // The earliest that the service's clock can have been when the read began.
  readonly startedMs: number

  constructor(byId: ReadonlyMap<string, LooseTransaction>, startedMs: number) {
    this.#byId = byId
    this.startedMs = startedMs
    const all = [...byId.values()]
    this.#byCorrelationId = groupBy(all, ({correlationId}) => correlationId)
    const others = all.filter(({correlationId}) => !isDerivedCorrelationId(correlationId))
    this.#byQuoteId = groupBy(others, ({quoteId}) => quoteId)
  }

  // In the order of the list.
  [Symbol.iterator](): Iterator<LooseTransaction> {
    return this.#byId.values()
  }

  // Those that the payment has recorded or whose correlationId is the payment's, and those that only have its quote.
  find(payment: Payment): {own: Set<LooseTransaction>; byQuote: Set<LooseTransaction>} {
    const {quoteIds, correlationIds} = getPaymentIds(payment)
    const recorded = this.#byId.get(payment.transactionId ?? '')
    const own = new Set([
      ...(recorded ? [recorded] : []),
      ...correlationIds.flatMap((id) => this.#byCorrelationId.get(id) ?? []),
    ])
    const byQuote = new Set(quoteIds.flatMap((id) => this.#byQuoteId.get(id) ?? []))
    return {own, byQuote: byQuote.difference(own)}
  }
}

// Reads the list to its end, and again while it changes. Throws if it never stands still or may be cut: such a list proves nothing.
export async function readTransactions(reader: ListReader, customerId = ''): Promise<ListedTransactions> {
  const byId = new Map<string, LooseTransaction>()
  const {startedMs, cutBy} = await readList(reader, customerId, (page) => {
    for (const transaction of page) byId.set(readText(transaction.transactionId), omitInstructions(transaction))
  })
  if (cutBy) throw cutBy
  return new ListedTransactions(byId, startedMs)
}

export interface Match {
  payment: Payment
  transactions: LooseTransaction[]
}

// Every payment of the service, newest first, with the transactions that belong to it. The journal has to be read after the list,
// so that what svc made is in it. A service may give the same quote twice, so a transaction that another payment has recorded is
// not of a payment that only has its quote.
export async function* matchPayments(
  journal: Pick<PaymentContext['journal'], 'list'>,
  serviceId: string,
  listed: ListedTransactions,
): AsyncGenerator<Match> {
  for await (const page of walkPayments(journal, {serviceId})) {
    for (const payment of page) {
      const {own, byQuote} = listed.find(payment)
      const transactionIds = [...byQuote].map(({transactionId}) => readText(transactionId))
      const owners = byQuote.size === 0 ? [] : await journal.list({serviceId, transactionIds})
      const taken = new Set(owners.filter(({key}) => key !== payment.key).map(({transactionId}) => transactionId))
      const free = [...byQuote].filter(({transactionId}) => !taken.has(readText(transactionId)))
      yield {payment, transactions: [...own, ...free]}
    }
  }
}
