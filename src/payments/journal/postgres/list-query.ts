// The SQL that lists the payments of a filter in PostgreSQL.
import type {SqlValue, Statement} from '../../../storage/postgres/database.ts'
import type {PaymentFilter} from '../journal.ts'
import {buildStateConditions} from '../state-conditions.ts'

const columns = 'payment, created_at, updated_at'
const newestFirst = 'created_at desc, key desc'
const newestOfAllFirst = `${newestFirst}, service_id desc`

// The newest of each service are found by the index, and the newest of those are the newest of all.
const ofEveryService = (where: string, limit: string) => `
  with recursive services (id) as (
    (select service_id from svc.payments order by service_id limit 1)
    union all
    select (select service_id from svc.payments where service_id > services.id order by service_id limit 1)
    from services where services.id is not null
  )
  select newest.payment, newest.created_at, newest.updated_at from services cross join lateral (
    select service_id, key, ${columns} from svc.payments where service_id = services.id${where} order by ${newestFirst} limit ${limit}
  ) as newest order by ${newestOfAllFirst} limit ${limit}`

export function buildListQuery(filter: PaymentFilter): [statement: Statement, values: SqlValue[]] {
  const {serviceId, states, template, sinceMs, lastSlots, transactionIds, newestCount, after} = filter
  const values: SqlValue[] = []
  const bind = (value: SqlValue) => `$${values.push(value)}`
  const where = [
    ...(serviceId === undefined ? [] : [`service_id = ${bind(serviceId)}`]),
    ...(template === undefined ? [] : [`template = ${bind(template)}`]),
    ...(sinceMs === undefined ? [] : [`created_at >= ${bind(sinceMs)}`]),
    ...(lastSlots === undefined ? [] : [`slot < ${bind(lastSlots.before)}`]),
    ...(transactionIds === undefined ? [] : [`transaction_id = any(${bind(transactionIds)})`]),
    ...buildStateConditions(states),
  ]
  if (after) {
    const [time, key, id] = [bind(after.createdAt), bind(after.key), bind(after.serviceId)]
    // The first condition is one that the index knows.
    where.push(
      `(created_at, key) <= (${time}::bigint, ${key}::text)`,
      `(created_at, key, service_id) < (${time}::bigint, ${key}::text, ${id}::text)`,
    )
  }
  if (newestCount !== undefined && serviceId === undefined && lastSlots === undefined) {
    const more = where.map((each) => ` and ${each}`).join('')
    return [{text: ofEveryService(more, bind(newestCount))}, values]
  }
  const order =
    lastSlots !== undefined
      ? `slot desc, key limit ${bind(lastSlots.count)}`
      : newestCount !== undefined
        ? `${newestFirst} limit ${bind(newestCount)}`
        : 'created_at, key'
  const condition = where.length > 0 ? `where ${where.join(' and ')}` : ''
  return [{text: `select ${columns} from svc.payments ${condition} order by ${order}`}, values]
}
