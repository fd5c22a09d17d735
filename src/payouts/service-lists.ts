// What the service has of the rows of a file: the list of each customer is read once in a run
// (docs/assumptions.md, P14), and only what is ours is kept.
import {SvcError} from '../errors.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import type {Service} from '../payments/service.ts'
import type {PayoutRow} from './rows.ts'
import {type JournalState, indexMarks} from './journal-state.ts'

interface RowReference {
  key: string
  customerId: string
}

export interface ServiceLists {
  // The transactions of this row, as the list had them.
  find(row: RowReference): Promise<LooseTransaction[]>
  // The same for whoever can do without: a list that could not be read once is not asked for again.
  findIfReadable(row: RowReference): Promise<LooseTransaction[]>
}

// Keeps only the fields that are used later: the rest of a long list would fill the memory.
const keepNeededFields = ({
  transactionId,
  quoteId,
  correlationId,
  transactionStatus,
  createdAt,
  source,
  destination,
  fees,
}: LooseTransaction): LooseTransaction => ({
  transactionId,
  quoteId,
  correlationId,
  transactionStatus,
  createdAt,
  source: {sourceAmount: source?.sourceAmount, sourceCurrency: source?.sourceCurrency},
  destination: {
    destinationAmount: destination?.destinationAmount,
    destinationPaymentAccountId: destination?.destinationPaymentAccountId,
  },
  fees,
})

type Found = ReadonlyMap<string, LooseTransaction[]>

export function createServiceLists(
  service: Service,
  serviceId: string,
  rows: readonly PayoutRow[],
  survey: JournalState,
): ServiceLists {
  const byCustomer = Map.groupBy(rows, ({content}) => content.customerId.toLowerCase())
  const read = new Map<string, Promise<Found>>()

  async function readList(customerId: string): Promise<Found> {
    const own = byCustomer.get(customerId.toLowerCase()) ?? []
    const marks = indexMarks(serviceId, own, survey)
    const found = new Map<string, LooseTransaction[]>()
    // What is made has to be found once; a key that is new is looked for to the end of the list.
    const isNewSought = own.some(({key}) => survey.known.get(key)?.state !== 'CREATED')
    for await (const page of service.transactions(customerId)) {
      for (const one of page) {
        const key = [one.correlationId, one.quoteId, one.transactionId]
          .map((mark) => (typeof mark === 'string' ? marks.get(mark) : undefined))
          .find((mark) => mark !== undefined)
        if (key !== undefined) found.set(key, [...(found.get(key) ?? []), keepNeededFields(one)])
      }
      if (!isNewSought && found.size === own.length) break
    }
    return found
  }

  const unreadable = new Set<string>()

  async function find({key, customerId}: RowReference): Promise<LooseTransaction[]> {
    const name = customerId.toLowerCase()
    const reading = read.get(name) ?? readList(customerId)
    read.set(name, reading)
    try {
      return (await reading).get(key) ?? []
    } catch (error) {
      // Whoever needs it next tries again.
      if (read.get(name) === reading) read.delete(name)
      unreadable.add(name)
      throw error
    }
  }

  async function findIfReadable(row: RowReference): Promise<LooseTransaction[]> {
    if (unreadable.has(row.customerId.toLowerCase())) return []
    try {
      return await find(row)
    } catch (error) {
      if (error instanceof SvcError) return []
      throw error
    }
  }

  return {find, findIfReadable}
}
