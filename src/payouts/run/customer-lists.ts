// The list of one customer during a run: read to its end once, and later only as far back as something new can be.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {keepNeededFields} from '../../payments/protocol/find-transaction.ts'
import {isDerivedCorrelationId} from '../../payments/protocol/payment.ts'
import {type ListRead, type ListReader, readList} from '../../payments/protocol/read-list.ts'
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

// A call waits for the read that others have begun, where that is recent enough.
export class CustomerList {
  readonly #settings: CustomerListSettings
  readonly #found = new Map<string, Map<string, LooseTransaction>>()
  #coverage: ListRead | undefined
  #firstRead: Promise<void> | undefined
  #currentRead = Promise.resolve()
  #nextRead: Promise<void> | undefined

  constructor(settings: CustomerListSettings) {
    this.#settings = settings
  }

  // The transactions of a row. The first call reads the list; the others wait for it. If that fails, the next call reads it.
  async find(key: string): Promise<LooseTransaction[]> {
    const reading = (this.#firstRead ??= this.#read())
    try {
      await reading
    } catch (error) {
      if (this.#firstRead === reading) this.#firstRead = undefined
      throw error
    }
    return this.#getFound(key)
  }

  // The same from a read that begins after the call, since one that has begun may have missed what was made since. Rows that wait
  // for such a read share it.
  async findAgain(key: string): Promise<LooseTransaction[]> {
    const startNext = () => {
      this.#nextRead = undefined
      this.#currentRead = this.#read()
      return this.#currentRead
    }
    this.#nextRead ??= this.#currentRead.then(startNext, startNext)
    await this.#nextRead
    return this.#getFound(key)
  }

  // A list that is newest first need not be read further back than the earlier read did.
  async #read(): Promise<void> {
    const {reader, customerId} = this.#settings
    const collect = (page: readonly LooseTransaction[]) => {
      for (const transaction of page) this.#collect(transaction)
    }
    const read = await readList(reader, customerId, collect, {earlier: this.#coverage})
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

  #getFound(key: string): LooseTransaction[] {
    return [...(this.#found.get(key)?.values() ?? [])]
  }
}

// Finds the transactions of the rows of a file. The list of each customer is read once per run (docs/assumptions.md, P14), and
// again where keys are not known to be honoured. Only transactions of the file are kept.
interface RowReference {
  key: string
  customerId: string
}

interface ServiceLists {
  // The transactions of this row.
  find(row: RowReference): Promise<LooseTransaction[]>
  // Like find(), but undefined if the list cannot be read. Such a list is not read again.
  findIfReadable(row: RowReference): Promise<LooseTransaction[] | undefined>
  // Like find(), but from a read that begins after the call.
  findAgain(row: RowReference): Promise<LooseTransaction[]>
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
      keep: keepNeededFields,
    })
    lists.set(normalizedId, list)
    return list
  }

  const unreadable = new Set<string>()

  const findCustomers = ({key, customerId}: RowReference) => [
    ...new Set([customerId, ...(journalState.known.get(key)?.customers ?? [])]),
  ]

  async function find(row: RowReference): Promise<LooseTransaction[]> {
    try {
      return await findAll(row, (list) => list.find(row.key))
    } catch (error) {
      unreadable.add(row.customerId.toLowerCase())
      throw error
    }
  }

  async function findAll(row: RowReference, search: (list: CustomerList) => Promise<LooseTransaction[]>) {
    const found = await Promise.all(findCustomers(row).map((customerId) => search(findList(customerId))))
    return found.flat()
  }

  async function findIfReadable(row: RowReference): Promise<LooseTransaction[] | undefined> {
    if (unreadable.has(row.customerId.toLowerCase())) return undefined
    try {
      return await find(row)
    } catch (error) {
      if (error instanceof SvcError) return undefined
      throw error
    }
  }

  return {find, findIfReadable, findAgain: (row) => findAll(row, (list) => list.findAgain(row.key))}
}
