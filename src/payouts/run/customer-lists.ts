// The lists of the customers of a file or a batch: each is read to its end once (docs/assumptions.md, P14), and later only as far back
// as something new can be. A run and a worker use them alike.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {type ListRead, type ListReader, listCustomers, readList} from '../../payments/protocol/search.ts'
import {ListedTransactions} from '../../payments/reconcile/match-payments.ts'

interface Listed {
  transactions: LooseTransaction[]
  seenUntilTicks: number
}

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

  // The transactions of this payment, from a list that has seen everything until `freshFrom`, in ticks of the clock. Rows that wait
  // for a read share it, and one that began too early is followed by another.
  async find(payment: Payment, freshFrom = Number.NEGATIVE_INFINITY): Promise<Listed> {
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
  readonly #unreadableUntilMs = new Map<string, number>()

  constructor({service, clock, listLagMaxMs}: ListReader) {
    this.#reader = {service, clock, listLagMaxMs}
  }

  #findList(customerId: string): CustomerList {
    const id = customerId.toLowerCase()
    const list = this.#lists.get(id) ?? new CustomerList(this.#reader, customerId)
    this.#lists.set(id, list)
    return list
  }

  // The transactions of this payment, each once, of all customers that it was tried for.
  async find(payment: Payment, freshFrom?: number): Promise<Listed> {
    const lists = await Promise.all(listCustomers(payment).map((id) => this.#findList(id).find(payment, freshFrom)))
    const found = lists.flatMap(({transactions}) => transactions)
    return {
      transactions: [...new Map(found.map((one) => [one.transactionId, one])).values()],
      seenUntilTicks: Math.min(...lists.map(({seenUntilTicks}) => seenUntilTicks)),
    }
  }

  // Like find(), but undefined if a list cannot be read.
  async findIfReadable(payment: Payment): Promise<LooseTransaction[] | undefined> {
    const id = payment.content.customerId.toLowerCase()
    if (performance.now() < (this.#unreadableUntilMs.get(id) ?? 0)) return undefined
    try {
      return (await this.find(payment)).transactions
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      this.#unreadableUntilMs.set(id, performance.now() + unreadableMs)
      return undefined
    }
  }
}
