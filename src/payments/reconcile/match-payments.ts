// Joins the payments of the journal with the transactions of the service's list, for reconcile and for the books.
import type {LooseTransaction} from '../../contract/loose.ts'
import {readText} from '../../values/records.ts'
import {walkPayments} from '../journal/walk.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {type Payment, isDerivedCorrelationId, normalizeCorrelationId} from '../protocol/payment.ts'
import {type ListReader, readList} from '../protocol/lists.ts'
import {getPaymentIds} from '../protocol/search.ts'

// The service's transactions, each once, as they were when they were read last.
export class ListedTransactions {
  readonly #all = new Map<string, LooseTransaction>()
  // By each id under which a payment finds them.
  readonly #groups = new Map<string, Map<string, LooseTransaction>>()

  // One that names its payment by a correlationId of svc's is of that payment, whatever its quote.
  add(transaction: LooseTransaction): void {
    const {quoteId} = transaction
    const correlationId = normalizeCorrelationId(transaction.correlationId)
    const transactionId = readText(transaction.transactionId)
    // The instructions for a transfer would fill the memory of a long list.
    const {transferInstructions: _, ...kept} = transaction
    this.#all.set(transactionId, kept)
    const ids = {transactionId, correlationId, quoteId: isDerivedCorrelationId(correlationId) ? '' : quoteId}
    for (const [name, id] of Object.entries(ids)) {
      if (readText(id) === '') continue
      const group = this.#groups.get(`${name} ${readText(id)}`) ?? new Map<string, LooseTransaction>()
      this.#groups.set(`${name} ${readText(id)}`, group.set(transactionId, kept))
    }
  }

  // In the order of the list.
  [Symbol.iterator](): Iterator<LooseTransaction> {
    return this.#all.values()
  }

  // A read may have shown an id of a transaction that an earlier one had not. Those without an id of their own are kept apart.
  #pick(name: string, ids: readonly string[]): Set<LooseTransaction> {
    const found = ids.flatMap((id) => [...(this.#groups.get(`${name} ${id}`) ?? [])])
    return new Set(found.map(([id, transaction]) => (id === '' ? transaction : (this.#all.get(id) ?? transaction))))
  }

  // Those that the payment has recorded or whose correlationId is the payment's, and those that only have its quote.
  find(payment: Payment): {own: Set<LooseTransaction>; byQuote: Set<LooseTransaction>} {
    const {quoteIds, correlationIds} = getPaymentIds(payment)
    const known = this.#pick('transactionId', payment.state === 'CREATED' ? [payment.transactionId] : [])
    const own = this.#pick('correlationId', correlationIds).union(known)
    return {own, byQuote: this.#pick('quoteId', quoteIds).difference(own)}
  }
}

// Reads the list to its end, and again while it changes. Throws if it never stands still or may be cut: such a list proves nothing.
// Returns the earliest that the service's clock can have been when the read began.
export async function readTransactions(reader: ListReader, customerId = '') {
  const listed = new ListedTransactions()
  const {startedMs, cutBy} = await readList(reader, customerId, (page) => {
    for (const transaction of page) listed.add(transaction)
  })
  if (cutBy) throw cutBy
  return {listed, startedMs}
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
