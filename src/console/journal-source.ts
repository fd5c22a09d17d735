// What the console shows of the journal on this machine: the payments of one service, under any of its ids.
import type {JournalPayment, JournalSource} from '../web/console/source.ts'
import {SvcError} from '../errors.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import {type JournalEntry, findEntry, listEntries} from '../payments/journal/entries.ts'

const newestFirst = (one: JournalEntry, other: JournalEntry) =>
  (other.createdAt ?? '').localeCompare(one.createdAt ?? '') || other.key.localeCompare(one.key)

export function createJournalSource(
  [serviceId = '', ...formerIds]: readonly string[],
  journal: JournalAddress,
): JournalSource {
  const service = {serviceId, formerIds, journal}
  return {
    async listPayments(count) {
      const entries = await listEntries({...service, newestCount: count})
      return entries.toSorted(newestFirst).slice(0, count)
    },
    async findPayment(key): Promise<JournalPayment | undefined> {
      try {
        return await findEntry(service, key)
      } catch (error) {
        if (error instanceof SvcError && error.kind === 'notFound') return undefined
        throw error
      }
    },
    findPaymentOf: async (transactionId) =>
      (await listEntries({...service, transactionIds: [transactionId], newestCount: 1}))[0],
  }
}
