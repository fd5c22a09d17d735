// The SQL that lists payments: those of a filter, those that spent money, and those of a key at other services.
import type {PaymentFilter} from '../journal.ts'
import {buildStateConditions} from '../state-conditions.ts'
import {paymentColumns} from './write-payment.ts'

// SQLite would rather read all payments of the service, in the order of the list.
function nameIndex({serviceId, template, transactionIds}: PaymentFilter): string {
  if (serviceId === undefined) return ''
  if (transactionIds !== undefined) return 'indexed by paymentsByTransaction'
  return template === undefined ? '' : 'indexed by paymentsByTemplate'
}

export function buildListQuery({
  serviceId,
  states,
  template,
  sinceMs,
  lastSlots,
  transactionIds,
  newestCount,
  after,
}: PaymentFilter): [sql: string, values: Record<string, string | number>] {
  const where = [
    ...(serviceId === undefined ? [] : ['serviceId = :serviceId']),
    ...(template === undefined ? [] : ['template = :template']),
    ...(sinceMs === undefined ? [] : ['createdAt >= :since']),
    ...(lastSlots === undefined ? [] : ['slot < :slot']),
    ...(transactionIds === undefined
      ? []
      : ['transactionId is not null', 'transactionId in (select value from json_each(:transactionIds))']),
    ...buildStateConditions(states),
    // The first condition is one that the index knows.
    ...(after === undefined
      ? []
      : [
          '(createdAt, key) <= (:afterTime, :afterKey)',
          '(createdAt, key, serviceId) < (:afterTime, :afterKey, :afterService)',
        ]),
  ]
  const order =
    lastSlots !== undefined
      ? 'slot desc, key limit :count'
      : newestCount !== undefined
        ? 'createdAt desc, key desc limit :newestCount'
        : 'createdAt, key'
  const sql = `select ${paymentColumns} from payments ${nameIndex({serviceId, template, transactionIds})} ${where.length > 0 ? `where ${where.join(' and ')}` : ''} order by ${order}`
  const values = {
    ...(serviceId !== undefined && {serviceId}),
    ...(template !== undefined && {template}),
    ...(sinceMs !== undefined && {since: sinceMs}),
    ...(lastSlots !== undefined && {slot: lastSlots.before, count: lastSlots.count}),
    ...(transactionIds !== undefined && {transactionIds: JSON.stringify(transactionIds)}),
    ...(newestCount !== undefined && {newestCount}),
    ...(after && {afterTime: after.createdAt, afterKey: after.key, afterService: after.serviceId}),
  }
  return [sql, values]
}

// Most journals have payments at one service.
export const hasOtherServices = `
  select exists (select 1 from payments where serviceId < :serviceId)
    or exists (select 1 from payments where serviceId > :serviceId) as found`

// There are few services, and each is found by one step in the primary key. An index on the key alone would be written with
// every payment.
const services = `
  services (id) as (
    select min(serviceId) from payments
    union all
    select (select min(serviceId) from payments where serviceId > services.id) from services where services.id is not null
  )`

export const selectServices = `with recursive ${services} select id from services where id is not null`

export const selectElsewhere = `
  with recursive ${services}
  select ${paymentColumns} from services join payments on payments.serviceId = services.id and payments.key = :key
  where services.id <> :serviceId order by services.id`

export const selectPaidTo = `
  select ${paymentColumns} from payments
  where serviceId = :serviceId and destination = :destination and currency = :currency and spentAt >= :sinceMs
    and state in (select value from json_each(:states)) order by spentAt, key`

// There are few currencies, and the times in each are found by the index.
export const selectSpentSince = `
  with recursive currencies (name) as (
    select min(currency) from payments where serviceId = :serviceId and spentAt is not null
    union all
    select (
      select min(currency) from payments where serviceId = :serviceId and currency > currencies.name and spentAt is not null
    ) from currencies where currencies.name is not null
  )
  select ${paymentColumns} from currencies cross join payments
    on serviceId = :serviceId and currency = currencies.name and spentAt >= :sinceMs and spentAt is not null
  where createdAt < :createdBeforeMs and state in (select value from json_each(:states))`
