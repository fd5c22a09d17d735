// The lists of the customers of a file or a batch: each is read to its end once (docs/assumptions.md, P14), and later only as far back
// as something new can be. A run and a worker use them alike.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {FoundInList} from './context.ts'
import type {Payment} from './payment.ts'
import {type ListRead, type ListReader, readList} from './lists.ts'
import {listCustomers} from './search.ts'
import {ListedTransactions} from '../reconcile/match-payments.ts'

// A call waits for the read that others have begun, where that has seen enough.
export class CustomerList {
  readonly #reader: ListReader
  readonly #customerId: string
  readonly #listed = new ListedTransactions()
  #coverage: ListRead | undefined
  #reading: Promise<void> | undefined

  constructor(reader: ListReader, customerId: string) {
    this.#reader = reader
    this.#customerId = customerId
  }

  // The transactions of this payment, from a list that has seen everything until `freshFrom`, in ticks of the clock. Rows that wait for
  // a read share it, and one that began too early is followed by another.
  async find(payment: Payment, freshFrom = Number.NEGATIVE_INFINITY): Promise<FoundInList> {
    while (!this.#coverage || this.#coverage.seenUntilTicks < freshFrom) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
      await this.#reading
    }
    const {own, byQuote} = this.#listed.find(payment)
    return {transactions: [...own, ...byQuote], seenUntilTicks: this.#coverage.seenUntilTicks}
  }

  // A list that is newest first need not be read further back than the earlier read did.
  async #read(): Promise<void> {
    const collect = (page: readonly LooseTransaction[]) => {
      for (const transaction of page) this.#listed.add(transaction)
    }
    const read = await readList(this.#reader, this.#customerId, collect, this.#coverage)
    if (read.cutBy) throw read.cutBy
    this.#coverage = read
  }
}

// A list that could not be read is left alone for so long by rows that need no more than the status of what was made.
const unreadableMs = 60_000

export class CustomerLists {
  readonly #reader: ListReader
  readonly #lists = new Map<string, CustomerList>()
  // By customer.
  readonly #unreadable = new Map<string, {untilMs: number; error: SvcError}>()

  constructor(reader: ListReader, isOneReadEnough: () => boolean) {
    this.#reader = {...reader, isOneReadEnough}
  }

  // The transactions of this payment, each once, of all customers that it was tried for.
  async find(payment: Payment, freshFrom?: number): Promise<FoundInList> {
    const {customerId: own} = payment.content
    const unreadable = payment.state === 'CREATED' ? this.#unreadable.get(own) : undefined
    if (unreadable && performance.now() < unreadable.untilMs) throw unreadable.error
    const reads = listCustomers(payment).map((customerId) => {
      const id = customerId.toLowerCase()
      const list = this.#lists.get(id) ?? new CustomerList(this.#reader, customerId)
      this.#lists.set(id, list)
      return list.find(payment, freshFrom)
    })
    const lists = await Promise.all(reads).catch((error: unknown) => {
      if (error instanceof SvcError) this.#unreadable.set(own, {untilMs: performance.now() + unreadableMs, error})
      throw error
    })
    const found = lists.flatMap(({transactions}) => transactions)
    return {
      transactions: [...new Map(found.map((one) => [one.transactionId, one])).values()],
      seenUntilTicks: Math.min(...lists.map(({seenUntilTicks}) => seenUntilTicks)),
    }
  }
}
