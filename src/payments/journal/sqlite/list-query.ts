// The SQL that lists payments: those of a filter, and those of a key at other services.
import type {PaymentFilter} from '../journal.ts'

export function buildListQuery({
  serviceId,
  states,
  template,
  sinceMs,
  lastSlots,
  transactionId,
  newestCount,
}: PaymentFilter): [sql: string, values: Record<string, string | number>] {
  const where = [
    ...(serviceId === undefined ? [] : ['serviceId = :serviceId']),
    ...(template === undefined ? [] : ['template = :template']),
    ...(sinceMs === undefined ? [] : ['createdAt >= :since']),
    ...(lastSlots === undefined ? [] : ['slot < :slot']),
    ...(transactionId === undefined ? [] : ["payment ->> 'transactionId' = :transactionId"]),
    ...(states === undefined ? [] : [`state in (${states.map((state) => `'${state}'`).join(', ')})`]),
  ]
  const order =
    lastSlots !== undefined
      ? 'slot desc, key limit :count'
      : newestCount !== undefined
        ? 'createdAt desc, key desc limit :newestCount'
        : 'createdAt, key'
  const sql = `select payment from payments ${where.length > 0 ? `where ${where.join(' and ')}` : ''} order by ${order}`
  const values = {
    ...(serviceId !== undefined && {serviceId}),
    ...(template !== undefined && {template}),
    ...(sinceMs !== undefined && {since: sinceMs}),
    ...(lastSlots !== undefined && {slot: lastSlots.before, count: lastSlots.count}),
    ...(transactionId !== undefined && {transactionId}),
    ...(newestCount !== undefined && {newestCount}),
  }
  return [sql, values]
}

// Most journals have payments at one service.
export const hasOtherServices = `
  select exists (select 1 from payments where serviceId < :serviceId)
    or exists (select 1 from payments where serviceId > :serviceId) as found`

// There are few services, and each is found by one step in the primary key. An index on the key alone would be written with
// every payment.
export const selectElsewhere = `
  with recursive services (id) as (
    select min(serviceId) from payments
    union all
    select (select min(serviceId) from payments where serviceId > services.id) from services where services.id is not null
  )
  select payment from services join payments on payments.serviceId = services.id and payments.key = :key
  where services.id <> :serviceId order by services.id`
