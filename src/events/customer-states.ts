// The last known state of each customer. It does not depend on the order in which events arrive, nor on how often.
import {toInstantMs} from '../values/time.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import type {EventStore} from './store.ts'

export interface CustomerStateUpdate {
  customerId: string
  state: LooseCustomer
  // Verified, or read from the service.
  isTrusted: boolean
  isFetched: boolean
  eventAt: number | undefined
  eventId: string
}

// If all times are equal, the later stage of verification counts as the later state (docs/assumptions.md, W11).
const stages = new Map(
  ['CREATED', 'UNDER_REVIEW', 'NEEDS_ADDITIONAL_INFORMATION', 'ACTIVE', 'REJECTED', 'DEACTIVATED'].map(
    (status, stage) => [status, stage],
  ),
)
const unknown = -1

// A state replaces the stored one if it compares higher: first by trust, then by when the customer changed, whether it was
// read from the service, when the event was created, the stage, and last the id, which makes the order total.
const upsert = `
  insert into customers (customerId, trust, updatedAtMs, isFetched, eventAt, stage, eventId, state)
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (customerId) do update set
    trust = excluded.trust, updatedAtMs = excluded.updatedAtMs, isFetched = excluded.isFetched,
    eventAt = excluded.eventAt, stage = excluded.stage, eventId = excluded.eventId, state = excluded.state
  where (excluded.trust, excluded.updatedAtMs, excluded.isFetched, excluded.eventAt, excluded.stage, excluded.eventId)
    > (customers.trust, customers.updatedAtMs, customers.isFetched, customers.eventAt, customers.stage, customers.eventId)
  returning 1`

// Returns whether this is now the last known state. Call it inside a transaction.
export function saveCustomerState(
  store: EventStore,
  {customerId, state, isTrusted, isFetched, eventAt, eventId}: CustomerStateUpdate,
): boolean {
  const {customerStatus, updatedAt} = state
  const stage = stages.get(readCode(customerStatus)) ?? unknown
  const row = store.one(
    upsert,
    customerId,
    Number(isTrusted),
    toInstantMs(updatedAt) ?? unknown,
    Number(isFetched),
    eventAt ?? unknown,
    stage,
    eventId,
    JSON.stringify(state),
  )
  return row !== undefined
}

export function findCustomerState(store: EventStore, customerId: string): LooseCustomer | undefined {
  const row = store.one<{state: string}>('select state from customers where customerId = ?', customerId)
  return row && (JSON.parse(row.state) as LooseCustomer)
}

// Whether the last known state of a customer came from this event.
export const isLatest = (store: EventStore, customerId: string, eventId: string) =>
  store.one('select 1 from customers where customerId = ? and eventId = ?', customerId, eventId) !== undefined
