// Opens the journal for reading, and reads the payments of a service, a page at a time.
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {Payment} from '../protocol/payment.ts'
import type {Journal, PaymentFilter} from './journal.ts'
import {openJournal} from './open-journal.ts'
import {hasJournalFile} from './sqlite/sqlite-journal.ts'

export interface ServiceOfEntries {
  serviceId?: string | undefined
  journal: JournalAddress
}

// Reading does not create a journal.
export async function openForReading({journal: address}: ServiceOfEntries): Promise<Journal | undefined> {
  if (!isDatabase(address) && !hasJournalFile(address.text)) return undefined
  return openJournal(address)
}

export async function readJournal<T>(
  none: T,
  read: (journal: Journal) => Promise<T>,
  service: ServiceOfEntries,
): Promise<T> {
  const journal = await openForReading(service)
  if (!journal) return none
  try {
    return await read(journal)
  } finally {
    await journal.close()
  }
}

// How many payments are read at a time, so that memory stays constant however many there are.
const paymentsPerRead = 1_000

// Newest first. A payment that is recorded in the meantime is newer, and not read.
export async function* walkPayments(
  journal: Pick<Journal, 'list'>,
  filter: Pick<PaymentFilter, 'serviceId' | 'states' | 'sinceMs'>,
): AsyncGenerator<Payment[]> {
  let after: Payment | undefined
  do {
    const page: Payment[] = await journal.list({...filter, newestCount: paymentsPerRead, after})
    if (page.length > 0) yield page
    after = page.length === paymentsPerRead ? page.at(-1) : undefined
  } while (after)
}
