// The SQL of the journal in an SQLite file: payments with their leases, lists, the history, and what a commit is judged by.
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import {policyApprovalSubject, policySubject} from '../../../controls/decisions.ts'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import {type Payment, spendingStates} from '../../protocol/payment.ts'
import type {PaymentName} from '../chain.ts'
import {
  type CommitCheck,
  type CommitFindings,
  type DecisionEntry,
  type HistoryEntry,
  type PaidToQuery,
  type Payee,
  type PaymentFilter,
  compareNewestFirst,
  decided,
  readDetail,
  readPaymentText,
  toColumns,
} from '../journal.ts'
import {buildList, isOfAllServices} from '../list-query.ts'
import {readOwner} from '../owner.ts'
import type {LeasedRow} from '../queued-journal.ts'

const paymentColumns = 'payment, createdAt, updatedAt'

const toPayment = ({payment, createdAt, updatedAt}: Record<string, unknown>): Payment =>
  readPaymentText(String(payment), Number(createdAt), Number(updatedAt))

const selectRow = `select ${paymentColumns}, epoch, owner, renewedAt from payments where serviceId = ? and key = ?`

export function findRow(connection: SqliteConnection, {serviceId, key}: PaymentName): LeasedRow | undefined {
  const row = connection.prepare(selectRow).get(serviceId, key)
  if (!row) return undefined
  const {epoch, owner, renewedAt} = row
  return {
    payment: toPayment(row),
    epoch: Number(epoch),
    owner: typeof owner === 'string' ? readOwner(owner) : undefined,
    renewedAt: Number(renewedAt ?? 0),
  }
}

const toLeaseValues = ({epoch, owner, renewedAt}: LeasedRow) =>
  owner ? [epoch, JSON.stringify(owner), renewedAt] : [epoch, null, null]

const insert = `insert into payments (serviceId, key, template, slot, state, currency, amount, destination, transactionId, spentAt,
    createdAt, updatedAt, payment, epoch, owner, renewedAt)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export function insertRow(connection: SqliteConnection, row: LeasedRow, text: string): void {
  const {createdAt, updatedAt} = row.payment
  connection.run(insert, ...Object.values(toColumns(row.payment)), createdAt, updatedAt, text, ...toLeaseValues(row))
}

// Most changes leave the indexed values as they are, and an update that does not mention them leaves the indexes alone.
const own = 'where serviceId = ? and key = ?'
const update =
  'update payments set state = ?, transactionId = ?, payment = ?, updatedAt = ?, epoch = ?, owner = ?, renewedAt = ?'
const updateSame = `${update} ${own} and currency = ? and amount = ? and destination = ? and spentAt is ?`
const updateAll = `${update}, currency = ?, amount = ?, destination = ?, spentAt = ? ${own}`

export function updateRow(connection: SqliteConnection, row: LeasedRow, text: string): void {
  const {serviceId, key, state, transactionId, currency, amount, destination, spentAt} = toColumns(row.payment)
  const values = [state, transactionId, text, row.payment.updatedAt, ...toLeaseValues(row)]
  const indexed = [currency, amount, destination, spentAt]
  // Arming sets when the money was spent.
  const isSame = state !== 'ARMED' && connection.prepare(updateSame).run(...values, serviceId, key, ...indexed).changes
  if (!isSame) connection.run(updateAll, ...values, ...indexed, serviceId, key)
}

export function updateLease(connection: SqliteConnection, row: LeasedRow): void {
  const {serviceId, key} = row.payment
  connection.run(
    `update payments set epoch = ?, owner = ?, renewedAt = ? ${own}`,
    ...toLeaseValues(row),
    serviceId,
    key,
  )
}

const toHistoryEntry = ({at, what, detail}: Record<string, unknown>): HistoryEntry => ({
  at: Number(at),
  what: String(what),
  ...(typeof detail === 'string' && {detail: readDetail(detail)}),
})

export const selectHistory = (connection: SqliteConnection, serviceId: string, key: string): HistoryEntry[] =>
  connection.prepare(`select at, what, detail from history ${own} order by seq`).all(serviceId, key).map(toHistoryEntry)

export const selectDecisions = (connection: SqliteConnection): DecisionEntry[] =>
  connection
    .prepare('select serviceId, key, at, what, detail from history where what = ? order by seq')
    .all(decided)
    .map((row) => ({
      ...toHistoryEntry(row),
      ...(row['key'] !== '' && {serviceId: String(row['serviceId']), key: String(row['key'])}),
    }))

// SQLite would rather read all payments of the service, in the order of the list.
function nameIndex({serviceId, template, transactionIds}: PaymentFilter): string {
  if (serviceId === undefined) return ''
  if (transactionIds !== undefined) return 'indexed by paymentsByTransaction'
  return template === undefined ? '' : 'indexed by paymentsByTemplate'
}

export function buildListQuery(filter: PaymentFilter): [sql: string, values: Array<string | number>] {
  const values: Array<string | number> = []
  const bind = (value: string | number) => `?${values.push(value)}`
  const {where, order} = buildList(filter, {
    names: {serviceId: 'serviceId', createdAt: 'createdAt', transactionId: 'transactionId'},
    bind,
    bindAny: (column, wanted) => `${column} in (select value from json_each(${bind(JSON.stringify(wanted))}))`,
  })
  const condition = where.length > 0 ? `where ${where.join(' and ')}` : ''
  return [`select ${paymentColumns} from payments ${nameIndex(filter)} ${condition} order by ${order}`, values]
}

// Most journals have payments at one service.
const hasOtherServices = `
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

const selectElsewhere = `
  with recursive ${services}
  select ${paymentColumns} from services join payments on payments.serviceId = services.id and payments.key = :key
  where services.id <> :serviceId order by services.id`

const selectPaidTo = `
  select ${paymentColumns} from payments
  where serviceId = :serviceId and destination = :destination and currency = :currency and spentAt >= :sinceMs
    and state in (select value from json_each(:states)) order by spentAt, key`

const readPayments = (connection: SqliteConnection, sql: string, values: Record<string, string | number>): Payment[] =>
  connection.prepare(sql).all(values).map(toPayment)

export function listPaidTo(connection: SqliteConnection, {currency, ...query}: PaidToQuery): Payment[] {
  const values = {...query, currency: currency.toUpperCase(), states: JSON.stringify(spendingStates)}
  return readPayments(connection, selectPaidTo, values)
}

export function listPayments(connection: SqliteConnection, filter: PaymentFilter): Payment[] {
  const list = (part: PaymentFilter) => {
    const [sql, values] = buildListQuery(part)
    return connection
      .prepare(sql)
      .all(...values)
      .map(toPayment)
  }
  if (!isOfAllServices(filter)) return list(filter)
  return connection
    .all<{id: string}>(selectServices)
    .flatMap(({id}) => list({...filter, serviceId: id}))
    .toSorted(compareNewestFirst)
    .slice(0, filter.newestCount)
}

// What an SQLite journal finds for the check of a commit, in its transaction: what was spent, and payments with the same key.

// Most journals have one service alone.
export function findElsewhere(connection: SqliteConnection, serviceId: string, key: string): Payment[] {
  if (!connection.prepare(hasOtherServices).get({serviceId})?.['found']) return []
  return readPayments(connection, selectElsewhere, {key, serviceId})
}

export function readFindings(connection: SqliteConnection, name: PaymentName, check: CommitCheck): CommitFindings {
  return {
    spentAmounts: check.spending ? selectSpentAmounts(connection, name, check.spending) : [],
    elsewhere: findElsewhere(connection, name.serviceId, name.key),
    owners: findOwners(connection, name, check),
    policyMark: check.readsPolicyMark ? countPolicyEntries(connection) : 0,
  }
}

const selectPolicyMark = 'select count(*) as count from history where serviceId = ? and key in (?, ?)'

const countPolicyEntries = (connection: SqliteConnection): number =>
  connection.one<{count: number}>(
    selectPolicyMark,
    policySubject.serviceId,
    policySubject.key,
    policyApprovalSubject.key,
  )?.count ?? 0

function findOwners(connection: SqliteConnection, {serviceId, key}: PaymentName, {transactionId}: CommitCheck) {
  if (transactionId === undefined) return []
  return listPayments(connection, {serviceId, transactionIds: [transactionId]}).filter((owner) => owner.key !== key)
}

// Lists what payments have, or may have, spent. The caller adds the amounts up as decimals.

// The index is named, since SQLite would read all payments of the service instead.
const selectPayments = `select amount from payments indexed by paymentsBySpending
  where serviceId = :serviceId and spentAt >= :sinceMs and key <> :key and state in (select value from json_each(:states))`

// A payment whose amount is unknown has no currency either.
export const selectSpent = `${selectPayments} and currency = :currency
  union all
  ${selectPayments} and currency = '' and :currency <> ''`

// The amounts of all payments but the one with this key.
export function selectSpentAmounts(
  connection: SqliteConnection,
  {serviceId, key}: PaymentName,
  {currency, sinceMs}: SpendingQuery,
): string[] {
  const values = {serviceId, key, currency: currency.toUpperCase(), sinceMs, states: JSON.stringify(spendingStates)}
  return connection
    .prepare(selectSpent)
    .all(values)
    .map(({amount}) => String(amount))
}

// Finds out since when the journal knows payees, and whether it has paid them.

// Uses the index of payments that have spent money.
const selectPaid = `select value as destination from json_each(:destinations) where exists (
    select 1 from payments where serviceId = :serviceId and destination = value and spentAt is not null
      and state = 'CREATED' and payment ->> '$.ended' is null and payment ->> '$.wentElsewhere' is null)`

const selectSeen = `select destination, min(createdAt) as firstSeenAt from payments
  where serviceId = :serviceId and destination in (select value from json_each(:destinations)) group by destination`

export function listPayees(connection: SqliteConnection, serviceId: string, destinations: readonly string[]): Payee[] {
  const select = (sql: string, wanted: readonly string[]) =>
    connection.prepare(sql).all({serviceId, destinations: JSON.stringify(wanted)})
  const paid = new Set(select(selectPaid, destinations).map(({destination}) => String(destination)))
  const unpaid = destinations.filter((destination) => !paid.has(destination))
  const seen = unpaid.length === 0 ? [] : select(selectSeen, unpaid)
  return [
    ...[...paid].map((destination) => ({destination, isPaid: true})),
    ...seen.map(({destination, firstSeenAt}) => ({
      destination: String(destination),
      isPaid: false,
      firstSeenAt: Number(firstSeenAt),
    })),
  ]
}
