// Finds the transactions of the rows of a file. The list of each customer is read once per run (docs/assumptions.md, P14), and
// again where keys are not known to be honoured. Only transactions of the file are kept.
import {SvcError} from '../../errors.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {keepNeededFields} from '../../payments/protocol/needed-fields.ts'
import {type CustomerList, createCustomerList} from './customer-list.ts'
import type {PayoutRow} from '../file/rows.ts'
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
    [correlationId, quoteId, transactionId]
      .flatMap((id) => (typeof id === 'string' ? (keysById.get(id) ?? []) : []))
      .slice(0, 1)
  const lists = new Map<string, CustomerList>()

  function findList(customerId: string): CustomerList {
    const normalizedId = customerId.toLowerCase()
    const known = lists.get(normalizedId)
    if (known) return known
    const list = createCustomerList({
      readPages: () => service.transactions(customerId),
      clock,
      lagMaxMs: listLagMaxMs,
      findKeys,
      keep: keepNeededFields,
    })
    lists.set(normalizedId, list)
    return list
  }

  const unreadable = new Set<string>()

  async function find({key, customerId}: RowReference): Promise<LooseTransaction[]> {
    try {
      return await findList(customerId).find(key)
    } catch (error) {
      unreadable.add(customerId.toLowerCase())
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

  return {find, findIfReadable, findAgain: ({key, customerId}) => findList(customerId).findAgain(key)}
}
