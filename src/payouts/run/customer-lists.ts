// The list of one customer during a run: read to its end once, and later only as far back as something new can be.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {isDerivedCorrelationId} from '../../payments/protocol/payment.ts'
import {type ListRead, type ListReader, omitInstructions, readList} from '../../payments/protocol/search.ts'
import {readText} from '../../values/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type JournalState, mapIdsToKeys} from './journal-state.ts'

interface CustomerListSettings {
  reader: ListReader
  customerId: string
  // The keys by which a transaction is found later.
  findKeys: (transaction: LooseTransaction) => readonly string[]
  keep: (transaction: LooseTransaction) => LooseTransaction
}

interface Listed {
  transactions: LooseTransaction[]
  seenUntilTicks: number
}

// What several lists have, each transaction once.
export const joinListed = (lists: readonly Listed[]): Listed => ({
  transactions: [
    ...new Map(lists.flatMap(({transactions}) => transactions.map((one) => [one.transactionId, one]))).values(),
  ],
  seenUntilTicks: Math.min(...lists.map(({seenUntilTicks}) => seenUntilTicks)),
})

// A call waits for the read that others have begun, where that has seen enough.
export class CustomerList {
  readonly #settings: CustomerListSettings
  readonly #found = new Map<string, Map<string, LooseTransaction>>()
  #coverage: ListRead | undefined
  #reading: Promise<void> | undefined

  constructor(settings: CustomerListSettings) {
    this.#settings = settings
  }

  // The transactions of a row, from a list that has seen everything until `freshFrom`, in ticks of the clock. Rows that wait for a read
  // share it, and one that began too early is followed by another.
  async find(key: string, freshFrom = Number.NEGATIVE_INFINITY): Promise<Listed> {
    while (!this.#coverage || this.#coverage.seenUntilTicks < freshFrom) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
      await this.#reading
    }
    const transactions = [...(this.#found.get(key)?.values() ?? [])]
    return {transactions, seenUntilTicks: this.#coverage.seenUntilTicks}
  }

  // A list that is newest first need not be read further back than the earlier read did.
  async #read(): Promise<void> {
    const {reader, customerId} = this.#settings
    const collect = (page: readonly LooseTransaction[]) => {
      for (const transaction of page) this.#collect(transaction)
    }
    const read = await readList(reader, customerId, collect, this.#coverage)
    if (read.cutBy) throw read.cutBy
    this.#coverage = read
  }

  #collect(transaction: LooseTransaction): void {
    const keys = this.#settings.findKeys(transaction)
    if (keys.length === 0) return
    const kept = this.#settings.keep(transaction)
    for (const key of keys) {
      const own = this.#found.get(key) ?? new Map<string, LooseTransaction>()
      own.set(readText(transaction.transactionId), kept)
      this.#found.set(key, own)
    }
  }
}

// Finds the transactions of the rows of a file. The list of each customer is read once per run (docs/assumptions.md, P14), and
// again where keys are not known to be honoured. Only transactions of the file are kept.
interface RowReference {
  key: string
  customerId: string
}

interface ServiceLists {
  // The transactions of this row, from lists that have seen everything until `freshFrom`.
  find(row: RowReference, freshFrom?: number): Promise<Listed>
  // Like find(), but undefined if the list cannot be read. Such a list is not read again.
  findIfReadable(row: RowReference): Promise<LooseTransaction[] | undefined>
}

export function createServiceLists(
  {service, clock, listLagMaxMs}: Pick<PaymentContext, 'service' | 'clock' | 'listLagMaxMs'>,
  serviceId: string,
  rows: readonly PayoutRow[],
  journalState: JournalState,
): ServiceLists {
  // Of all rows, since a row whose content was changed may have had another customer before.
  const keysById = mapIdsToKeys(serviceId, rows, journalState)
  const findKeys = ({correlationId, quoteId, transactionId}: LooseTransaction) =>
    [correlationId, transactionId, ...(isDerivedCorrelationId(correlationId) ? [] : [quoteId])]
      .flatMap((id) => (typeof id === 'string' ? (keysById.get(id) ?? []) : []))
      .slice(0, 1)
  const lists = new Map<string, CustomerList>()

  function findList(customerId: string): CustomerList {
    const normalizedId = customerId.toLowerCase()
    const known = lists.get(normalizedId)
    if (known) return known
    const list = new CustomerList({
      reader: {service, clock, listLagMaxMs},
      customerId,
      findKeys,
      keep: omitInstructions,
    })
    lists.set(normalizedId, list)
    return list
  }

  const unreadable = new Set<string>()

  const findCustomers = ({key, customerId}: RowReference) => [
    ...new Set([customerId, ...(journalState.known.get(key)?.customers ?? [])]),
  ]

  async function find(row: RowReference, freshFrom?: number): Promise<Listed> {
    try {
      return joinListed(await Promise.all(findCustomers(row).map((id) => findList(id).find(row.key, freshFrom))))
    } catch (error) {
      unreadable.add(row.customerId.toLowerCase())
      throw error
    }
  }

  async function findIfReadable(row: RowReference): Promise<LooseTransaction[] | undefined> {
    if (unreadable.has(row.customerId.toLowerCase())) return undefined
    try {
      return (await find(row)).transactions
    } catch (error) {
      if (error instanceof SvcError) return undefined
      throw error
    }
  }

  return {find, findIfReadable}
}
