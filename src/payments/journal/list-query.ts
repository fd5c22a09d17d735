// Builds the SQL that lists the payments of a filter.
import type {PaymentFilter} from './journal.ts'

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
    ...(states === undefined ? [] : ['state in (select value from json_each(:states))']),
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
    ...(states !== undefined && {states: JSON.stringify(states)}),
  }
  return [sql, values]
}
