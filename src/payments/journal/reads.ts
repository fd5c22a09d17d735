// The SQL by which both stores read the journal.
import type {SqlValue} from '../../storage/postgres/database.ts'
import {policyApprovalSubject, policySubject} from '../../controls/decisions.ts'
import type {SpendingQuery} from '../../controls/check-spending.ts'
import {type PaymentState, notMadeStates, spendingStates, unsettledStates} from '../protocol/payment.ts'
import {type ListName, type PaidToQuery, type PaymentFilter, decisionLine, otherLines} from './journal.ts'
import {dayMs} from '../../values/time.ts'
import type {SpendingPlace} from './spending.ts'
import {type Dialect, type PaymentName, type Table, listColumns, toAmountColumn, toCondition} from './tables.ts'

type Place = {chain: number; number: number}

export interface Read {
  text: string
  values: SqlValue[]
}

function buildStateConditions(states: readonly PaymentState[]): string[] {
  const covered = [unsettledStates, notMadeStates].find((each) => states.every((state) => each.includes(state)))
  return [toCondition(states), ...(covered && covered.length !== states.length ? [toCondition(covered)] : [])]
}

const isSpending = toCondition(spendingStates)
const changesPayment = `what not in (${otherLines.map((what) => `'${what}'`).join(', ')})`

const rowsPerRead = 1_000

const selectFrom = (prefix: string, table: Table) =>
  `select ${listColumns(table)
    .map(({field, name}) => `${name} as "${field}"`)
    .join(', ')} from ${prefix}${table}`

const read = (text: string, ...values: SqlValue[]): Read => ({text, values})

export class Reads {
  readonly #dialect: Dialect
  readonly #payments: string
  readonly #selectPayments: string
  readonly #selectHistory: string
  readonly #selectChains: string
  readonly #selectSpending: string

  constructor(dialect: Dialect) {
    const {prefix} = dialect
    this.#dialect = dialect
    this.#payments = `${prefix}payments`
    this.#selectPayments = selectFrom(prefix, 'payments')
    this.#selectHistory = selectFrom(prefix, 'history')
    this.#selectChains = selectFrom(prefix, 'chains')
    this.#selectSpending = selectFrom(prefix, 'spending')
  }

  // The payments of all services under these keys.
  payments(keys: readonly string[]): Read {
    return read(`${this.#selectPayments} where key ${this.#dialect.any('$1', keys)} order by service_id`, keys)
  }

  // The payments that any of these queries asks for. All of them name an amount, or none does.
  paidTo(queries: readonly PaidToQuery[]): Read {
    const wanted = queries.map(({serviceId, destination, currency, amount}) => [
      serviceId,
      destination,
      currency.toUpperCase(),
      ...(amount === undefined ? [] : [toAmountColumn(amount)]),
    ])
    const columns = ['service_id', 'destination', 'currency', 'amount'].slice(0, wanted[0]?.length)
    const values = columns.map((_, index) => `value ->> ${index}`).join(', ')
    const isWanted = `(${columns.join(', ')}) in (select ${values} from ${this.#dialect.listItems('$1')})`
    const index = this.#dialect.useIndex('payments_by_destination')
    const text = `${this.#selectPayments} ${index} where ${isWanted} and spent_at >= $2 and ${isSpending} order by spent_at, key`
    return read(text, JSON.stringify(wanted), Math.min(...queries.map(({sinceMs}) => sinceMs)))
  }

  // An account was paid by a transaction that went there and did not end badly.
  paidPayees(serviceId: string, destinations: readonly string[]): Read {
    const {any, field, useIndex} = this.#dialect
    const isPaid = `state = 'CREATED' and spent_at is not null and ended is null and ${field('payment', 'wentElsewhere')} is null`
    const text = `select distinct destination from ${this.#payments} ${useIndex('payments_by_destination')}
      where service_id = $1 and destination ${any('$2', destinations)} and ${isPaid}`
    return read(text, serviceId, destinations)
  }

  // The sums that any of these queries asks for, and those of amounts whose currency is not known.
  spent(queries: ReadonlyArray<SpendingQuery & {serviceId: string}>): Read {
    const {listItems} = this.#dialect
    const wanted = queries.flatMap(({serviceId, currency}) => [
      [serviceId, currency.toUpperCase()],
      [serviceId, ''],
    ])
    const isWanted = `(service_id, currency) in (select value ->> 0, value ->> 1 from ${listItems('$1')})`
    const text = `${this.#selectSpending} where ${isWanted} and day >= $2`
    return read(text, JSON.stringify(wanted), Math.min(...queries.map(({day}) => day)))
  }

  // The sums that change with these payments: where each has spent so far, which their rows say,
  // and the places where they will have spent.
  spentBy(payments: ReadonlyArray<PaymentName & {chain: number}>, next: readonly SpendingPlace[]): Read {
    const {listItems} = this.#dialect
    const before = payments.map(({serviceId, key, chain}) => [key, serviceId, chain])
    const after = next.map(({serviceId, currency, day, chain}) => [serviceId, currency, day, chain])
    const places = `
      select p.service_id as a, p.currency as b, p.spent_at / ${dayMs} as c, cast(value ->> 2 as bigint) as d
        from ${listItems('$1')} join ${this.#payments} p on p.key = value ->> 0 and p.service_id = value ->> 1
        where p.spent_at is not null
      union all
      select value ->> 0, value ->> 1, cast(value ->> 2 as bigint), cast(value ->> 3 as bigint) from ${listItems('$2')}`
    const text = `${this.#selectSpending} join (${places}) as wanted
      on service_id = wanted.a and currency = wanted.b and day = wanted.c and chain = wanted.d`
    return read(text, JSON.stringify(before), JSON.stringify(after))
  }

  allSpent(): Read {
    return read(this.#selectSpending)
  }

  // The keys that have recorded these transactions.
  made(serviceId: string, transactionIds: readonly string[]): Read {
    const {any, useIndex} = this.#dialect
    const text = `select key, transaction_id as "transactionId" from ${this.#payments} ${useIndex('payments_by_transaction')}
      where service_id = $1 and transaction_id ${any('$2', transactionIds)} and transaction_id is not null and state = 'CREATED'`
    return read(text, serviceId, transactionIds)
  }

  listProof({serviceId, customerId}: ListName, correlationId: string): Read {
    const {prefix} = this.#dialect
    const isUnrecorded = `exists (select 1 from ${prefix}unrecorded where service_id = $1 and correlation_id = $3)`
    const columns = listColumns('listProofs').map(({field, name}) => `${name} as "${field}"`)
    const text = `select ${columns.join(', ')}, case when ${isUnrecorded} then 1 else 0 end as "isUnrecorded"
      from ${prefix}list_proofs where service_id = $1 and customer_id = $2`
    return read(text, serviceId, customerId, correlationId)
  }

  owners(ids: readonly string[], transactionIds: readonly string[]): Read {
    const {any, useIndex} = this.#dialect
    const isWanted = `service_id ${any('$1', ids)} and transaction_id ${any('$2', transactionIds)}`
    const text = `${this.#selectPayments} ${useIndex('payments_by_transaction')} where ${isWanted} and transaction_id is not null`
    return read(text, ids, transactionIds)
  }

  policyMark(): Read {
    const text = `select count(*) as mark from ${this.#dialect.prefix}history where service_id = $1 and key in ($2, $3)`
    return read(text, policySubject.serviceId, policySubject.key, policyApprovalSubject.key)
  }

  holders(serviceId: string, keys: readonly string[]): Read {
    const {now, any} = this.#dialect
    const text = `select key, owner, renewed_at as "renewedAt", ${now} as ms from ${this.#payments}
      where service_id = $1 and key ${any('$2', keys)} and owner is not null`
    return read(text, serviceId, keys)
  }

  history({serviceId, key}: PaymentName): Read {
    return read(`${this.#selectHistory} where service_id = $1 and key = $2 order by chain, number`, serviceId, key)
  }

  decisionsAbout(names: readonly PaymentName[]): Read {
    const keys = names.map(({key}) => key)
    const isWanted = `key ${this.#dialect.any('$1', keys)} and service_id = '' and what = '${decisionLine}'`
    return read(`${this.#selectHistory} where ${isWanted} order by chain, number`, keys)
  }

  decisions(): Read {
    return read(`${this.#selectHistory} where what = '${decisionLine}' order by at, chain, number`)
  }

  line({chain, number}: Place): Read {
    return read(`${this.#selectHistory} where chain = $1 and number = $2`, chain, number)
  }

  heads(chains: readonly number[]): Read {
    const wanted = chains.map(String)
    return read(`${this.#selectChains} where chain ${this.#dialect.any('$1', wanted, 'bigint')}`, wanted)
  }

  allHeads(): Read {
    return read(`${this.#selectChains} order by chain`)
  }

  lines({chain, number}: Place): Read {
    const {afterLine, lineOrder} = this.#dialect
    return read(`${this.#selectHistory} where ${afterLine} order by ${lineOrder} limit ${rowsPerRead}`, chain, number)
  }

  // The lines that changed the payments after the first of these, up to the last one, or some to
  // the end.
  changes(after: PaymentName, last?: PaymentName): Read {
    const bounds = [after, ...(last ? [last] : [])].flatMap(({serviceId, key}) => [key, serviceId])
    const until = last ? 'and (key, service_id) <= ($3, $4)' : ''
    const order = `order by key, service_id, chain, number ${last ? '' : `limit ${rowsPerRead}`}`
    return read(
      `${this.#selectHistory} where (key, service_id) > ($1, $2) ${until} and ${changesPayment} ${order}`,
      ...bounds,
    )
  }

  paymentPage({serviceId, key}: PaymentName): Read {
    const text = `${this.#selectPayments} where (key, service_id) > ($1, $2) order by key, service_id limit ${rowsPerRead}`
    return read(text, key, serviceId)
  }

  list(filter: PaymentFilter): Read {
    const {any, useIndex} = this.#dialect
    const {serviceId, states, sinceMs, untilMs, transactionIds, keys, newestCount, after} = filter
    const values: SqlValue[] = []
    const bind = (value: SqlValue) => `$${values.push(value)}`
    const where = [`service_id = ${bind(serviceId)}`]
    if (sinceMs !== undefined) where.push(`created_at >= ${bind(sinceMs)}`)
    if (untilMs !== undefined) where.push(`created_at < ${bind(untilMs)}`)
    if (transactionIds)
      where.push('transaction_id is not null', `transaction_id ${any(bind(transactionIds), transactionIds)}`)
    if (keys) where.push(`key ${any(bind(keys), keys)}`)
    if (states) where.push(...buildStateConditions(states))
    if (after) where.push(`(created_at, key) < (${bind(after.createdAt)}, ${bind(after.key)})`)
    const oldestFirst = keys ? 'key' : 'created_at, key'
    const order = newestCount === undefined ? oldestFirst : `created_at desc, key desc limit ${bind(newestCount)}`
    const hint = transactionIds ? useIndex('payments_by_transaction') : ''
    return {text: `${this.#selectPayments} ${hint} where ${where.join(' and ')} order by ${order}`, values}
  }
}
