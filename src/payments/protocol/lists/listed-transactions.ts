// The transactions that a list has shown, and which of them belong to a payment.
import {type LooseTransaction, hasFinalStatus} from '../../../contract/loose.ts'
import {readText} from '../../../values/records.ts'
import type {Journal} from '../../journal/journal.ts'
import {type Payment, isDerivedCorrelationId, normalizeCorrelationId} from '../payment.ts'
import {belongsToPayment, getPaymentIds} from '../reply.ts'

type Ids = Map<string, string | Set<string>>

// Most ids lead to one transaction.
function addId(ids: Ids, id: string, transactionId: string): void {
  const known = ids.get(id)
  if (known === undefined) ids.set(id, transactionId)
  else if (typeof known !== 'string') known.add(transactionId)
  else if (known !== transactionId) ids.set(id, new Set([known, transactionId]))
}

function listIds(ids: Ids, id: string): Iterable<string> {
  const known = ids.get(id) ?? []
  return typeof known === 'string' ? [known] : known
}

// The instructions for a transfer would fill the memory of a long list. Nobody needs those of a
// transaction that has ended.
function omitOldInstructions(transaction: LooseTransaction): LooseTransaction {
  if (transaction.transferInstructions === undefined || !hasFinalStatus(transaction)) return transaction
  const {transferInstructions: _, ...kept} = transaction
  return kept
}

// The service's transactions, each once, as they were when they were read last.
export class ListedTransactions {
  readonly #all = new Map<string, LooseTransaction>()
  readonly #byCorrelationId: Ids = new Map()
  readonly #byQuote: Ids = new Map()
  // A transaction without an id exists, but cannot be told from another one of its payment.
  readonly #withoutId = new Map<string, LooseTransaction>()

  // A transaction that names its payment by a correlationId of svc's belongs to that payment,
  // whatever its quote: a service may give the same quote to several payments.
  add(transaction: LooseTransaction): void {
    const correlationId = normalizeCorrelationId(transaction.correlationId)
    const quoteId = isDerivedCorrelationId(correlationId) ? '' : readText(transaction.quoteId)
    const transactionId = readText(transaction.transactionId)
    if (transactionId === '') {
      this.#withoutId.set(JSON.stringify([correlationId, quoteId]), transaction)
      return
    }
    this.#all.set(transactionId, omitOldInstructions(transaction))
    if (correlationId !== '') addId(this.#byCorrelationId, correlationId, transactionId)
    if (quoteId !== '') addId(this.#byQuote, quoteId, transactionId)
  }

  // In the order in which they were first seen.
  *[Symbol.iterator](): Iterator<LooseTransaction> {
    yield* this.#all.values()
    yield* this.#withoutId.values()
  }

  // Those that the payment has recorded or whose correlationId is the payment's, and those that
  // only have its quote.
  find(payment: Payment): {own: Set<LooseTransaction>; byQuote: Set<LooseTransaction>} {
    const {quoteIds, correlationIds} = getPaymentIds(payment)
    const pick = (ids: Iterable<string>) => [...ids].flatMap((id) => this.#all.get(id) ?? [])
    const own = new Set([
      ...correlationIds.flatMap((id) => pick(listIds(this.#byCorrelationId, id))),
      ...pick(payment.transactionId === undefined ? [] : [payment.transactionId]),
    ])
    const byQuote = new Set(quoteIds.flatMap((id) => pick(listIds(this.#byQuote, id))))
    for (const transaction of this.#withoutId.values()) {
      const ids = {quoteIds, correlationIds}
      if (correlationIds.includes(normalizeCorrelationId(transaction.correlationId))) own.add(transaction)
      else if (belongsToPayment(transaction, ids)) byQuote.add(transaction)
    }
    return {own, byQuote: byQuote.difference(own)}
  }

  // Before anybody asked the journal whose they are.
  findPossible(payment: Payment): LooseTransaction[] {
    const {own, byQuote} = this.find(payment)
    return [...own, ...byQuote]
  }

  // The transactions of the payment. A transaction that the journal has under another key belongs
  // to that key, even if it carries our quote.
  async findOwn(payment: Payment, journal: Pick<Journal, 'list'>): Promise<LooseTransaction[]> {
    const {own, byQuote} = this.find(payment)
    if (byQuote.size === 0) return [...own]
    const {serviceId, key} = payment
    const transactionIds = [...byQuote].map(({transactionId}) => readText(transactionId))
    const owners = await journal.list({serviceId, transactionIds})
    const taken = new Set(owners.filter((owner) => owner.key !== key).map(({transactionId}) => transactionId))
    return [...own, ...[...byQuote].filter(({transactionId}) => !taken.has(readText(transactionId)))]
  }
}
