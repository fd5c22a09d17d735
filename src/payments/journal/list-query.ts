// Builds the SQL that lists the payments of a filter.
import type {PaymentFilter} from './journal.ts'

export function buildListQuery({
  serviceId,
  states,
  template,
  sinceMs,
  lastSlots,
}: PaymentFilter): [sql: string, values: Record<string, string | number>] {
  const where = [
    ...(serviceId === undefined ? [] : ['serviceId = :serviceId']),
    ...(template === undefined ? [] : ['template = :template']),
    ...(sinceMs === undefined ? [] : ['createdAt >= :since']),
    ...(lastSlots === undefined ? [] : ['slot < :slot']),
    ...(states === undefined ? [] : ['state in (select value from json_each(:states))']),
  ]
  const order = lastSlots === undefined ? 'createdAt, key' : 'slot desc, key limit :count'
  const sql = `select payment from payments ${where.length > 0 ? `where ${where.join(' and ')}` : ''} order by ${order}`
  const values = {
    ...(serviceId !== undefined && {serviceId}),
    ...(template !== undefined && {template}),
    ...(sinceMs !== undefined && {since: sinceMs}),
    ...(lastSlots !== undefined && {slot: lastSlots.before, count: lastSlots.count}),
    ...(states !== undefined && {states: JSON.stringify(states)}),
  }
  return [sql, values]
}
