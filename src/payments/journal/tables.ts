// The tables of the journal, which are the same in both stores, and payments as rows of them. They
// hold nothing personal.
import {digestContent} from '../protocol/compare.ts'
import {type Payment, type PaymentState, notMadeStates, unsettledStates} from '../protocol/payment.ts'
import {amountPattern} from '../../contract/vocabulary.ts'
import {normalizeAmount} from '../../values/money.ts'
import {omitUndefined} from '../../values/records.ts'
import {type Intent, decisionLine} from './journal.ts'
import {type TimelessPayment, readPayment} from './payment-text.ts'

const columns = {
  // `payment` is the payment as text, without its times: the clock of the store writes them.
  payments: {
    serviceId: 'text not null',
    key: 'text not null',
    state: 'text not null',
    currency: 'text not null',
    amount: 'text not null',
    destination: 'text not null',
    transactionId: 'text',
    spentAt: 'integer',
    // By these the rows of batches know their payments.
    contentDigest: 'text not null',
    ended: 'text',
    createdAt: 'integer not null',
    updatedAt: 'integer not null',
    payment: 'text not null',
    // The columns of the lease, which the chain does not cover.
    epoch: 'integer not null default 0',
    owner: 'text',
    renewedAt: 'integer',
  },
  // Lines of a payment, or of a decision about no payment, which has neither a service nor a key.
  // `payment` is the digest of the payment as the line left it, if it was stored so: a line that
  // does not change it has none, nor has one that was written together with a later change.
  history: {
    chain: 'integer not null',
    // Its place in the chain, from 1.
    number: 'integer not null',
    serviceId: 'text not null',
    key: 'text not null',
    at: 'integer not null',
    what: 'text not null',
    detail: 'text',
    payment: 'text',
    hash: 'text not null',
  },
  // Where each chain ends: its last line.
  chains: {chain: 'integer not null', number: 'integer not null', hash: 'text not null'},
  // Sums that the payments of a chain have, or may have, spent on a day of UTC, and how many
  // amounts are not known beside them. They follow from the payments.
  spending: {
    serviceId: 'text not null',
    currency: 'text not null',
    // Counted from 1970.
    day: 'integer not null',
    chain: 'integer not null',
    amount: 'text not null',
    unknown: 'integer not null',
  },
  // What reads of customers' lists have proved, which no chain covers: it may be lost.
  listProofs: {
    serviceId: 'text not null',
    customerId: 'text not null',
    untilMs: 'integer not null',
    sinceMs: 'integer not null',
    heads: 'text not null',
    isAgreed: 'integer not null',
  },
  // The transactions of svc's in these lists that the journal had not recorded as made.
  unrecorded: {serviceId: 'text not null', correlationId: 'text not null'},
} as const

export type Table = keyof typeof columns

type ValueOf<Type> = Type extends `text${string}` ? string : number
type ColumnValue<Definition> = Definition extends `${string} not null${string}`
  ? ValueOf<Definition>
  : ValueOf<Definition> | null

export type RowOf<T extends Table> = {
  -readonly [Field in keyof (typeof columns)[T]]: ColumnValue<(typeof columns)[T][Field]>
}

const toSqlName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const nameTable = (table: Table): string => toSqlName(table)

export const listColumns = (table: Table) =>
  Object.entries(columns[table]).map(([field, definition]) => ({field, name: toSqlName(field), definition}))

// The hash that the first entry of a chain follows.
export const chainStart = '0'.repeat(64)

// The differences between the stores.
export interface Dialect {
  prefix: string
  types: {text: string; integer: string}
  // The text behind the definition of each table.
  options: Readonly<Record<Table, string>>
  // The order of the lines of the history, and what is true of those after the one of the chain $1
  // and the number $2.
  lineOrder: string
  afterLine: string
  // The condition that a column has one of these texts.
  any: (place: string, values: readonly string[], type?: 'text' | 'bigint') => string
  // SQLite would rather read all payments of a service, in the order of the list.
  useIndex: (index: string) => string
  // The function that makes rows with a `value` of the items of a JSON array.
  listItems: (place: string) => string
  // A field of a column that is JSON.
  field: (column: string, name: string) => string
  // Milliseconds, on the clock of the store.
  now: string
}

// The conditions on the state are written out, since an index covers some states alone and is used
// only if its own condition is part of the query.
export const toCondition = (states: readonly PaymentState[]) =>
  `state in (${states.map((state) => `'${state}'`).join(', ')})`

// Most payments pass through their states and are never looked at again, so most indexes cover only
// what is searched for: what is unsettled or was not made.
// The key comes first in the primary key, so that what other services have under it is found too.
// payments_by_destination serves whoever asks what was paid to an account, and whether it was paid
// or seen at all. payments_by_time serves the newest payments of a service among a million; times
// grow, so it is written at its end. The history consists of hash chains; `chains` has the end of
// each.
export function createSchema({prefix, types, options, lineOrder}: Dialect, chains: readonly number[]): string {
  const define = (table: Table, key: string) => {
    const fields = listColumns(table).map(
      ({name, definition}) => `${name} ${definition.replace(/^\w+/, (type) => types[type as keyof typeof types])}`,
    )
    return `create table ${prefix}${nameTable(table)} (${fields.join(', ')}, primary key (${key})) ${options[table]};`
  }
  return `
${define('payments', 'key, service_id')}
create index payments_by_time on ${prefix}payments (service_id, created_at, key);
create index payments_unsettled on ${prefix}payments (service_id, created_at, key) where ${toCondition(unsettledStates)};
create index payments_not_made on ${prefix}payments (service_id, created_at, key) where ${toCondition(notMadeStates)};
create index payments_by_destination on ${prefix}payments (service_id, destination, currency, amount, spent_at);
create index payments_by_transaction on ${prefix}payments (service_id, transaction_id) where transaction_id is not null;
${define('history', lineOrder)}
create index history_by_key on ${prefix}history (key, service_id, chain, number);
create index history_decisions on ${prefix}history (at, chain, number) where what = '${decisionLine}';
${define('chains', 'chain')}
${define('spending', 'service_id, currency, day, chain')}
${define('listProofs', 'service_id, customer_id')}
${define('unrecorded', 'service_id, correlation_id')}
insert into ${prefix}chains (chain, number, hash) values ${chains.map((chain) => `(${chain}, 0, '${chainStart}')`).join(', ')};
`
}

export type PaymentName = Pick<Payment, 'serviceId' | 'key'>

// The chain that has all entries of a payment.
export type PickChain = (name: PaymentName) => number

export const namePayment = ({serviceId, key}: PaymentName): string => JSON.stringify([serviceId, key])

export type LeasedRow = RowOf<'payments'>
export type PaymentRow = Omit<LeasedRow, 'epoch' | 'owner' | 'renewedAt'>

// A payment of which nothing but the intent is known.
export const toNewPayment = ({serviceId, key, content, template, slot, note}: Intent): TimelessPayment =>
  omitUndefined({serviceId, key, template, slot, note, content, state: 'INTENDED' as const, attempts: []})

export const toPayment = ({payment, createdAt, updatedAt}: PaymentRow): Payment => ({
  ...readPayment(payment),
  createdAt,
  updatedAt,
})

// Equal amounts have one spelling, by which payments are looked for. Text that is no plain decimal
// stays as it is.
export const toAmountColumn = (amount: string) => (amountPattern.test(amount) ? normalizeAmount(amount) : amount)

// When the money was, or may have been, spent: when the request was armed or, if it was adopted,
// when the service created it.
const getSpentAt = ({attempts, madeAt}: Payment): number | null => attempts.at(-1)?.armed?.at ?? madeAt ?? null

// The columns of a payment that say what it spends.
export type Spender = Pick<PaymentRow, 'serviceId' | 'key' | 'state' | 'currency' | 'amount' | 'spentAt'>

export function toSpender(payment: Payment): Spender {
  const {serviceId, key, state, content} = payment
  const {sourceCurrency, sourceAmount} = content.source
  const [currency, amount] = [sourceCurrency.toUpperCase(), toAmountColumn(sourceAmount)]
  return {serviceId, key, state, currency, amount, spentAt: getSpentAt(payment)}
}

export function toPaymentRow(payment: Payment, text: string): PaymentRow {
  const {content, transactionId = null} = payment
  return {
    ...toSpender(payment),
    destination: content.destination.destinationPaymentAccountId,
    transactionId,
    contentDigest: digestContent(content),
    ended: payment.ended ?? null,
    createdAt: payment.createdAt,
    updatedAt: payment.updatedAt,
    payment: text,
  }
}
