// A journal for a service that had other ids before: payments under any of them are payments at this service.
import {type Payment, spendingStates} from '../protocol/payment.ts'
import type {Journal} from './journal.ts'
import {compareNewestFirst} from './newest-first.ts'

// A payment that was made, or may have been, comes before one that was not.
const rank = ({state}: Payment) => (state === 'CREATED' ? 0 : spendingStates.includes(state) ? 1 : 2)

// Payments keep the id under which they were recorded, since their correlationId and idempotency key derive from it.
export function joinFormerIds(journal: Journal, serviceId: string, formerIds: readonly string[]): Journal {
  if (formerIds.length === 0) return journal
  const ids = [serviceId, ...formerIds]
  const isOwn = (id: string) => ids.includes(id)
  const listOtherIds = (id: string) => (isOwn(id) ? ids.filter((other) => other !== id) : [])
  const readAll = async <T>(id: string, read: (id: string) => Promise<readonly T[]>): Promise<T[]> => {
    const parts = await Promise.all([id, ...listOtherIds(id)].map(read))
    return parts.flat()
  }
  const find = async (id: string, key: string) => {
    const found = await readAll(id, async (each) => [await journal.find(each, key)])
    return found.filter((payment) => payment !== undefined).toSorted((one, other) => rank(one) - rank(other))[0]
  }
  return {
    find,
    findOrCreate: async (intent) => (await find(intent.serviceId, intent.key)) ?? journal.findOrCreate(intent),
    async list(filter) {
      if (filter.serviceId === undefined) return journal.list(filter)
      const payments = await readAll(filter.serviceId, (each) => journal.list({...filter, serviceId: each}))
      const {newestCount} = filter
      if (newestCount !== undefined) return payments.toSorted(compareNewestFirst).slice(0, newestCount)
      return payments.toSorted((one, other) => compareNewestFirst(other, one))
    },
    async findElsewhere(id, key) {
      const payments = await journal.findElsewhere(id, key)
      return payments.filter((payment) => !isOwn(id) || !isOwn(payment.serviceId))
    },
    listSpentSince: (id, sinceMs, createdBeforeMs) =>
      readAll(id, (each) => journal.listSpentSince(each, sinceMs, createdBeforeMs)),
    listPaidTo: (query) => readAll(query.serviceId, (each) => journal.listPaidTo({...query, serviceId: each})),
    listPayees: (id, destinations) => readAll(id, (each) => journal.listPayees(each, destinations)),
    history: (id, key) => journal.history(id, key),
    listSpentAmounts: (id, key, query) => readAll(id, (each) => journal.listSpentAmounts(each, key, query)),
    acquireLease: (id, key, owner) => journal.acquireLease(id, key, owner),
    renewLease: (lease) => journal.renewLease(lease),
    releaseLease: (lease) => journal.releaseLease(lease),
    findLeaseHolder: async (id, key) => journal.findLeaseHolder((await find(id, key))?.serviceId ?? id, key),
    commit: (lease, payment, entry, check) =>
      journal.commit(lease, payment, entry, check && {...check, otherIds: listOtherIds(lease.serviceId)}),
    flush: () => journal.flush(),
    recordDecision: (decision) => journal.recordDecision(decision),
    listDecisions: () => journal.listDecisions(),
    reserve: (reservation, check) =>
      journal.reserve(reservation, check && {...check, otherIds: listOtherIds(reservation.serviceId)}),
    cancelReservation: (id, reservationId) => journal.cancelReservation(id, reservationId),
    close: () => journal.close(),
  }
}
