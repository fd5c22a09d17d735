// What the service has of the rows of a file: the list of each customer is read once in a run
// (docs/assumptions.md, P14), and only what is ours is kept.
import {SvcError} from '../errors.ts'
import type {Fields, Service} from '../payments/service.ts'
import type {PayoutRow} from './rows.ts'
import {type Survey, marksOf} from './journal-state.ts'

interface Sought {
  key: string
  customerId: string
}

export interface Listing {
  // The transactions of this row, as the list had them.
  of(row: Sought): Promise<Fields[]>
  // The same for whoever can do without: a list that could not be read once is not asked for again.
  ifReadable(row: Sought): Promise<Fields[]>
}

// A part of a transaction that somebody asks for later. The rest would fill the memory for nothing.
const kept = ({
  transactionId,
  quoteId,
  correlationId,
  transactionStatus,
  createdAt,
  source,
  destination,
  fees,
}: Fields) =>
  ({
    transactionId,
    quoteId,
    correlationId,
    transactionStatus,
    createdAt,
    source: partsOf(source, ['sourceAmount', 'sourceCurrency']),
    destination: partsOf(destination, ['destinationAmount', 'destinationPaymentAccountId']),
    fees,
  }) satisfies Fields

const partsOf = (holder: unknown, fields: readonly string[]): Fields =>
  typeof holder === 'object' && holder !== null
    ? Object.fromEntries(fields.map((field) => [field, (holder as Fields)[field]]))
    : {}

type Found = ReadonlyMap<string, Fields[]>

export function listingOf(service: Service, serviceId: string, rows: readonly PayoutRow[], survey: Survey): Listing {
  const byCustomer = Map.groupBy(rows, ({content}) => content.customerId.toLowerCase())
  const read = new Map<string, Promise<Found>>()

  async function walked(customerId: string): Promise<Found> {
    const own = byCustomer.get(customerId.toLowerCase()) ?? []
    const marks = marksOf(serviceId, own, survey)
    const found = new Map<string, Fields[]>()
    // What is made has to be found once; a key that is new is looked for to the end of the list.
    const isNewSought = own.some(({key}) => survey.known.get(key)?.state !== 'CREATED')
    for await (const page of service.transactions(customerId)) {
      for (const one of page) {
        const key = [one['correlationId'], one['quoteId'], one['transactionId']]
          .map((mark) => (typeof mark === 'string' ? marks.get(mark) : undefined))
          .find((mark) => mark !== undefined)
        if (key !== undefined) found.set(key, [...(found.get(key) ?? []), kept(one)])
      }
      if (!isNewSought && found.size === own.length) break
    }
    return found
  }

  const unreadable = new Set<string>()

  async function of({key, customerId}: Sought): Promise<Fields[]> {
    const name = customerId.toLowerCase()
    const reading = read.get(name) ?? walked(customerId)
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

  async function ifReadable(row: Sought): Promise<Fields[]> {
    if (unreadable.has(row.customerId.toLowerCase())) return []
    try {
      return await of(row)
    } catch (error) {
      if (error instanceof SvcError) return []
      throw error
    }
  }

  return {of, ifReadable}
}
