// A journal for a service that had other ids before: payments under any of them are payments at this service.
import {type Payment, spendingStates} from '../payment.ts'
import type {Journal} from './journal.ts'

// A payment that was made, or may have been, comes before one that was not.
const rank = ({state}: Payment) => (state === 'CREATED' ? 0 : spendingStates.includes(state) ? 1 : 2)

// Payments keep the id under which they were recorded, since their correlationId and idempotency key derive from it.
export function joinFormerIds(journal: Journal, serviceId: string, formerIds: readonly string[]): Journal {
  if (formerIds.length === 0) return journal
  const ids = [serviceId, ...formerIds]
  const isOwn = (id: string) => ids.includes(id)
  const listIds = (id: string) => (isOwn(id) ? [id, ...ids.filter((other) => other !== id)] : [id])
  const find = (id: string, key: string) =>
    listIds(id)
      .flatMap((each) => journal.find(each, key) ?? [])
      .toSorted((one, other) => rank(one) - rank(other))[0]
  return {
    find,
    findOrCreate: (intent) => find(intent.serviceId, intent.key) ?? journal.findOrCreate(intent),
    list(filter) {
      if (filter.serviceId === undefined) return journal.list(filter)
      return listIds(filter.serviceId)
        .flatMap((each) => journal.list({...filter, serviceId: each}))
        .toSorted((one, other) => one.createdAt - other.createdAt || (one.key < other.key ? -1 : 1))
    },
    findElsewhere: (id, key) =>
      journal.findElsewhere(id, key).filter((payment) => !isOwn(id) || !isOwn(payment.serviceId)),
    listPaidTo: (query) => listIds(query.serviceId).flatMap((each) => journal.listPaidTo({...query, serviceId: each})),
    history: (id, key) => journal.history(id, key),
    listSpentAmounts: (id, key, query) => listIds(id).flatMap((each) => journal.listSpentAmounts(each, key, query)),
    acquireLease: (id, key, owner) => journal.acquireLease(id, key, owner),
    renewLease: (lease) => journal.renewLease(lease),
    releaseLease: (lease) => journal.releaseLease(lease),
    findLeaseHolder: (id, key) => journal.findLeaseHolder(find(id, key)?.serviceId ?? id, key),
    commit(lease, payment, entry, check) {
      const [, ...others] = listIds(lease.serviceId)
      return journal.commit(
        lease,
        payment,
        entry,
        check &&
          ((listSpentAmounts) =>
            check((query) => [
              ...listSpentAmounts(query),
              ...others.flatMap((each) => journal.listSpentAmounts(each, lease.key, query)),
            ])),
      )
    },
    flush: () => journal.flush(),
    close: () => journal.close(),
  }
}
