// Finds the transactions of the rows of a file. The list of each customer is read once per run (docs/assumptions.md, P14),
// and only transactions of the file are kept.
import {SvcError} from '../errors.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import type {Service} from '../payments/service.ts'
import type {PayoutRow} from './rows.ts'
import {type JournalState, mapIdsToKeys} from './journal-state.ts'

interface RowReference {
  key: string
  customerId: string
}

export interface ServiceLists {
  // The transactions of this row.
  find(row: RowReference): Promise<LooseTransaction[]>
  // Like find(), but empty if the list cannot be read. Such a list is not read again.
  findIfReadable(row: RowReference): Promise<LooseTransaction[]>
}

// Keeps only the fields that are used later: the rest of a long list would fill the memory.
const keepNeededFields = ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  source,
  destination,
  fees,
}: LooseTransaction): LooseTransaction => ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  source: {
    sourcePaymentAccountId: source?.sourcePaymentAccountId,
    sourcePaymentMethod: source?.sourcePaymentMethod,
    sourceCurrency: source?.sourceCurrency,
    sourceAmount: source?.sourceAmount,
  },
  destination: {
    destinationPaymentAccountId: destination?.destinationPaymentAccountId,
    destinationPaymentMethod: destination?.destinationPaymentMethod,
    destinationCurrency: destination?.destinationCurrency,
    destinationAmount: destination?.destinationAmount,
    exchangeRate: destination?.exchangeRate,
  },
  fees,
})

type TransactionsByKey = ReadonlyMap<string, LooseTransaction[]>

export function createServiceLists(
  service: Service,
  serviceId: string,
  rows: readonly PayoutRow[],
  journalState: JournalState,
): ServiceLists {
  const byCustomer = Map.groupBy(rows, ({content}) => content.customerId.toLowerCase())
  const readsByCustomer = new Map<string, Promise<TransactionsByKey>>()

  async function readList(customerId: string): Promise<TransactionsByKey> {
    const customerRows = byCustomer.get(customerId.toLowerCase()) ?? []
    const keysById = mapIdsToKeys(serviceId, customerRows, journalState)
    const transactionsByKey = new Map<string, LooseTransaction[]>()
    // A list is read to its end for rows that are not created yet. For created rows, one match each is enough.
    const needsWholeList = customerRows.some(({key}) => journalState.known.get(key)?.state !== 'CREATED')
    for await (const page of service.transactions(customerId)) {
      for (const transaction of page) {
        const key = [transaction.correlationId, transaction.quoteId, transaction.transactionId]
          .map((id) => (typeof id === 'string' ? keysById.get(id) : undefined))
          .find((found) => found !== undefined)
        if (key !== undefined)
          transactionsByKey.set(key, [...(transactionsByKey.get(key) ?? []), keepNeededFields(transaction)])
      }
      if (!needsWholeList && transactionsByKey.size === customerRows.length) break
    }
    return transactionsByKey
  }

  const unreadable = new Set<string>()

  async function find({key, customerId}: RowReference): Promise<LooseTransaction[]> {
    const normalizedId = customerId.toLowerCase()
    const reading = readsByCustomer.get(normalizedId) ?? readList(customerId)
    readsByCustomer.set(normalizedId, reading)
    try {
      return (await reading).get(key) ?? []
    } catch (error) {
      // The next call reads the list again.
      if (readsByCustomer.get(normalizedId) === reading) readsByCustomer.delete(normalizedId)
      unreadable.add(normalizedId)
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
