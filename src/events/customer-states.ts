// The last known state of each customer: whatever order events arrive in and however often, the same ones lead to the same.
import {toInstantMs} from '../validation/instants.ts'
import type {JsonObject} from './event.ts'
import type {EventStore} from './store.ts'

export interface CustomerStateUpdate {
  customerId: string
  state: JsonObject
  // Verified, or read from the service.
  isTrusted: boolean
  isFetched: boolean
  eventAt: number | undefined
  eventId: string
}

// Where all times agree, the later stage of a verification is taken for the later state (docs/assumptions.md, W11).
const stages = new Map(
  ['CREATED', 'UNDER_REVIEW', 'NEEDS_ADDITIONAL_INFORMATION', 'ACTIVE', 'REJECTED', 'DEACTIVATED'].map(
    (status, stage) => [status, stage],
  ),
)
const unknown = -1

// What decides, in the order of the comparison, the first difference first: who says it, when the customer changed, whether it was read from the service
// itself, when the event was made, how far the customer has come, and at last the id, so that the order never does.

const upsert = `
  insert into customers (customerId, trust, updatedAtMs, isFetched, eventAt, stage, eventId, state)
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (customerId) do update set
    trust = excluded.trust, updatedAtMs = excluded.updatedAtMs, isFetched = excluded.isFetched,
    eventAt = excluded.eventAt, stage = excluded.stage, eventId = excluded.eventId, state = excluded.state
  where (excluded.trust, excluded.updatedAtMs, excluded.isFetched, excluded.eventAt, excluded.stage, excluded.eventId)
    > (customers.trust, customers.updatedAtMs, customers.isFetched, customers.eventAt, customers.stage, customers.eventId)
  returning 1`

// Whether this is now the last known state. To be called inside a transaction.
export function saveCustomerState(
  store: EventStore,
  {customerId, state, isTrusted, isFetched, eventAt, eventId}: CustomerStateUpdate,
): boolean {
  const {customerStatus, updatedAt} = state
  const stage = typeof customerStatus === 'string' ? (stages.get(customerStatus) ?? unknown) : unknown
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

export function findCustomerState(store: EventStore, customerId: string): JsonObject | undefined {
  const row = store.one<{state: string}>('select state from customers where customerId = ?', customerId)
  return row && (JSON.parse(row.state) as JsonObject)
}

// Whether the last known state of a customer came by this event.
export const isLatest = (store: EventStore, customerId: string, eventId: string) =>
  store.one('select 1 from customers where customerId = ? and eventId = ?', customerId, eventId) !== undefined
