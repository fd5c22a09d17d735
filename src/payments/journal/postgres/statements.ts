// The SQL of the journal in PostgreSQL. A change and its line of history are one statement, so that they are written together
// in one round trip, and every change depends on the lease that allows it.
import type {SqlValue, Statement} from '../../../storage/postgres/database.ts'
import type {Payment} from '../../protocol/payment.ts'
import {bodySql, digestBody, digestText, linkSql, pickDatabaseChain} from '../chain.ts'
import {
  type DecisionEntry,
  type Entry,
  type HistoryEntry,
  type Intent,
  getSpentAt,
  readPaymentText,
  toColumnValues,
  toNewPayment,
  toPaymentText,
  readDetail,
} from '../journal.ts'

const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
// A lease held on another machine expires if it is not renewed for this long.
const leaseTimeout = "interval '120 seconds'"
// A lease that was written more recently than this is not renewed again.
const renewalInterval = "interval '10 seconds'"

const own = 'service_id = $1 and key = $2'

// The write id of a row whose lease was returned, made of the one with which it was taken.
const markReturned = (writeId: string) => `${writeId}::text || ' returned'`

interface Line {
  // The expression of where it comes from: at most one row.
  from: string
  at: string
  // The parameters or expressions of its fields.
  what: string
  detail: string
  payment: string
  body: string
  chain: string
}

// Adds a line to the history at the end of its chain, whose row is locked until the transaction ends. It is the last lock that a
// transaction takes, so that nobody waits for each other.
const appendLine = ({from, at, what, detail, payment, body, chain}: Line) => `
    linked as (
      update svc.chains as head set number = head.number + 1,
        hash = ${linkSql({before: 'head.hash', chain: 'head.chain', number: 'head.number + 1', at, body})}
      from ${from} where head.chain = ${chain}
      returning head.chain, head.number, head.hash, ${at} as at, ${detail} as detail
    ),
    logged as (
      insert into svc.history (chain, number, service_id, key, at, what, detail, payment, hash)
      select linked.chain, linked.number, $1, $2, linked.at, ${what}, linked.detail, ${payment}, linked.hash from linked
    )`

// The values that getEntryValues returns, from this parameter on.
const bindLine = (from: string, at: string, first: number): Line => ({
  from,
  at,
  what: `$${first}`,
  detail: `$${first + 1}::text`,
  payment: `$${first + 2}::text`,
  body: `$${first + 3}::text`,
  chain: `$${first + 4}::int`,
})

const takenOver = `json_build_object('host', found.owner::json ->> 'host', 'pid', (found.owner::json ->> 'pid')::bigint)::text`

const statements = {
  // $1 service, $2 key, $3 template, $4 slot, $5 currency, $6 amount, $7 destination, $8 payment, $9 write id, $10 to $14 the line
  create: `
    with clock as materialized (select ${nowMs} as ms),
    created as (
      insert into svc.payments (service_id, key, template, slot, state, currency, amount, destination, payment, write_id,
        created_at, updated_at)
      select $1, $2, $3, $4, 'INTENDED', $5, $6, $7, $8, $9, ms, ms from clock
      on conflict (service_id, key) do nothing
      returning payment, created_at, updated_at
    ),
    ${appendLine(bindLine('created', 'created.created_at', 10))}
    select payment, created_at, updated_at from created`,

  find: `select payment, created_at, updated_at from svc.payments where ${own}`,

  // $3 owner, $4 write id, $5 an owner whose process is known to have ended, $6 the chain. If it arrives
  // a second time after the lease was returned, it takes nothing: the row says that the lease of this write was returned.
  acquire: `
    with found as materialized (
      select payment, created_at, updated_at, epoch, owner, write_id,
        (owner is null or owner = $5 or renewed_at < clock_timestamp() - ${leaseTimeout})
          and write_id not in ($4, ${markReturned('$4')}) as is_free
      from svc.payments where ${own} for update
    ),
    taken as (
      update svc.payments as row set epoch = row.epoch + 1, owner = $3, renewed_at = clock_timestamp(), write_id = $4
      from found where row.service_id = $1 and row.key = $2 and found.is_free
      returning row.epoch
    ),
    line as materialized (
      select ${nowMs} as at, ${takenOver} as detail from found, taken where found.owner is not null
    ),
    ${appendLine({
      from: 'line',
      at: 'line.at',
      what: "'TAKEN_OVER'",
      detail: 'line.detail',
      payment: 'null',
      body: bodySql({
        serviceId: '$1',
        key: '$2',
        what: "'TAKEN_OVER'",
        detail: 'line.detail',
        payment: 'null::text',
      }),
      chain: '$6::int',
    })}
    select found.payment, found.created_at, found.updated_at, found.owner, found.write_id, taken.epoch
    from found left join taken on true`,

  // $3 epoch. Every commit renews the lease as well, so most renewals need no write.
  renew: `
    with renewed as (
      update svc.payments set renewed_at = clock_timestamp()
      where ${own} and epoch = $3 and renewed_at < clock_timestamp() - ${renewalInterval}
    )
    select epoch from svc.payments where ${own} and epoch = $3`,

  // $3 epoch, $4 the write id with which the lease was taken. The new write id is that of no change, so that a change which arrives
  // late does not find the row as it was.
  release: `
    update svc.payments set owner = null, renewed_at = null, write_id = ${markReturned('$4')} where ${own} and epoch = $3`,

  findHolder: `
    select owner from svc.payments
    where ${own} and owner is not null and renewed_at >= clock_timestamp() - ${leaseTimeout}`,

  // $3 epoch, $4 write id of the version that is changed, without which it could arrive late and undo a later change, $5 state, $6 payment, $7 currency, $8 amount, $9 destination,
  // $10 transaction id, $11 spent at, $12 write id, $13 updated at, $14 to $18 the line
  commit: `
    with clock as materialized (select ${nowMs} as ms),
    changed as (
      update svc.payments set state = $5, payment = $6, currency = $7, amount = $8, destination = $9, transaction_id = $10,
        spent_at = $11, write_id = $12, renewed_at = clock_timestamp(), updated_at = greatest(clock.ms, $13::bigint + 1)
      from clock
      where ${own} and epoch = $3 and owner is not null and write_id = $4
      returning updated_at, clock.ms
    ),
    ${appendLine(bindLine('changed', 'changed.ms', 14))}
    select updated_at from changed`,

  // Waits for a transaction that is still changing the row.
  findWrite: `
    select payment, created_at, updated_at, epoch, owner, write_id from svc.payments where ${own} for update`,

  // $3 to $7 the line, whose detail no two decisions share
  decide: `
    with line as materialized (
      select ${nowMs} as at where not exists (select from svc.history where ${own} and what = $3 and detail = $4)
    ),
    ${appendLine(bindLine('line', 'line.at', 3))}
    select number from linked`,

  // $1 what
  decisions: 'select service_id, key, at, what, detail from svc.history where what = $1 order by at, chain, number',

  history: `select service_id, key, at, what, detail from svc.history where ${own} order by chain, number`,

  // $1 service, $2 keys
  policyMark: 'select count(*)::int as mark from svc.history where service_id = $1 and key = any($2)',

  role: `select current_user as name, pg_has_role(current_user, relowner, 'member') as "isOwner"
    from pg_class where oid = 'svc.history'::regclass`,

  // $1 service, $2 destination, $3 currency, $4 since, $5 states
  paidTo: `
    select payment, created_at, updated_at from svc.payments
    where service_id = $1 and destination = $2 and currency = $3 and spent_at >= $4 and state = any($5)
    order by spent_at, key`,

  // $1 service, $2 since, $3 states, $4 recorded before. There are few currencies, and the times in each are found by the index.
  spentSince: `
    with recursive currencies (name) as (
      (select currency from svc.payments where service_id = $1 and spent_at is not null order by currency limit 1)
      union all
      select (
        select currency from svc.payments
        where service_id = $1 and currency > currencies.name and spent_at is not null order by currency limit 1
      ) from currencies where currencies.name is not null
    )
    select payment, created_at, updated_at from currencies join svc.payments
      on service_id = $1 and currency = currencies.name and spent_at >= $2 and spent_at is not null
    where state = any($3) and created_at < $4`,

  // $1 service, $2 accounts. The time is null for an account that was paid.
  payees: `
    with paid as materialized (
      select wanted.destination from unnest($2::text[]) as wanted (destination) where exists (
        select from svc.payments p where p.service_id = $1 and p.destination = wanted.destination and p.spent_at is not null
          and p.state = 'CREATED' and p.payment::json ->> 'ended' is null and p.payment::json ->> 'wentElsewhere' is null)
    )
    select destination, null::bigint as first_seen_at from paid
    union all
    select destination, min(created_at) from svc.payments
    where service_id = $1 and destination = any($2::text[]) and destination not in (select destination from paid)
    group by destination`,

  // $1 service, $2 key, $3 currency, $4 since, $5 states. A payment whose amount is unknown has no currency either.
  spent: `
    select amount from svc.payments
    where service_id = $1 and currency in ($3, '') and spent_at >= $4 and spent_at is not null and key <> $2
      and state = any($5)`,

  // The same, but amounts that can be added are added, since a check needs only their sum.
  spentSum: `
    with spent as (
      select amount, amount ~ '^[0-9]+([.][0-9]+)?$' as is_decimal from svc.payments
      where service_id = $1 and currency in ($3, '') and spent_at >= $4 and spent_at is not null and key <> $2
        and state = any($5)
    )
    select sum(amount::numeric)::text as amount from spent where is_decimal having count(*) > 0
    union all
    select distinct amount from spent where not is_decimal`,

  // $1 service, $2 key. There are few services, and each is found by one step in the primary key.
  elsewhere: `
    with recursive services (id) as (
      (select service_id from svc.payments order by service_id limit 1)
      union all
      select (select service_id from svc.payments where service_id > services.id order by service_id limit 1)
      from services where services.id is not null
    )
    select payment, created_at, updated_at from services join svc.payments on service_id = services.id and key = $2
    where services.id <> $1 order by services.id`,

  // $1 keys
  everywhere: `
    with recursive services (id) as (
      (select service_id from svc.payments order by service_id limit 1)
      union all
      select (select service_id from svc.payments where service_id > services.id order by service_id limit 1)
      from services where services.id is not null
    )
    select policy.mark, payment, created_at, updated_at
    from (select count(*)::int as mark from svc.history where service_id = $2 and key = any($3)) as policy
    left join (services join svc.payments on service_id = services.id and key = any($1)) on true
    order by services.id`,

  // $1 rows as JSON, with ages instead of times, $2 write id
  insertGroup: `
    with clock as materialized (select ${nowMs} as ms)
    insert into svc.payments (service_id, key, template, slot, state, currency, amount, destination, transaction_id, spent_at,
      payment, created_at, updated_at, epoch, owner, renewed_at, write_id)
    select service_id, key, template, slot, state, currency, amount, destination, transaction_id, spent_at, payment,
      ms - created_age, ms - updated_age, epoch, owner, case when owner is null then null else clock_timestamp() end, $2
    from clock, json_to_recordset($1::json) as r (service_id text, key text, template text, slot text, state text, currency text,
      amount text, destination text, transaction_id text, spent_at bigint, payment text, created_age bigint, updated_age bigint,
      epoch bigint, owner text)
    order by service_id, key
    on conflict (service_id, key) do nothing
    returning service_id, key, created_at, updated_at, (select ms from clock) as ms`,

  // $1 rows as JSON, with ages instead of times, $2 write id. The leases end.
  updateGroup: `
    with clock as materialized (select ${nowMs} as ms)
    update svc.payments as row set state = r.state, payment = r.payment, currency = r.currency, amount = r.amount,
      destination = r.destination, transaction_id = r.transaction_id, spent_at = r.spent_at, write_id = $2, owner = null,
      renewed_at = null, updated_at = greatest(ms - age, row.updated_at + 1)
    from clock, json_to_recordset($1::json) as r (service_id text, key text, state text, currency text, amount text,
      destination text, transaction_id text, spent_at bigint, payment text, age bigint, epoch bigint, follows text)
    where row.service_id = r.service_id and row.key = r.key and row.epoch = r.epoch and row.owner is not null
      and row.write_id = r.follows
    returning row.service_id, row.key, row.created_at, row.updated_at, ms`,

  // $1 chains
  lockChains: `select chain, number, hash from svc.chains where chain = any($1::int[]) order by chain for update`,

  // $1 lines as JSON, $2 the new heads as JSON
  appendGroup: `
    with logged as (
      insert into svc.history (chain, number, service_id, key, at, what, detail, payment, hash)
      select chain, number, service_id, key, at, what, detail, payment, hash
      from json_to_recordset($1::json) as r (chain int, number bigint, service_id text, key text, at bigint, what text,
        detail text, payment text, hash text)
    )
    update svc.chains as head set number = r.number, hash = r.hash
    from json_to_recordset($2::json) as r (chain int, number bigint, hash text) where head.chain = r.chain`,

  // $1 names of rows as JSON, $2 write id
  findGroup: `
    select row.service_id, row.key, row.created_at, row.updated_at
    from svc.payments as row join json_to_recordset($1::json) as r (service_id text, key text)
      on row.service_id = r.service_id and row.key = r.key
    where row.write_id = $2`,

  // $1 service, $2 transaction, $3 key
  owners: `
    select payment, created_at, updated_at from svc.payments
    where service_id = $1 and transaction_id = $2 and transaction_id is not null and key <> $3`,

  // $1 names, in one order for everybody. The lock ends with the transaction.
  lock: `select pg_advisory_xact_lock(hashtextextended('svc ' || name, 0)) from unnest($1::text[]) as names (name)`,
} as const

export const getStatement = (name: keyof typeof statements): Statement => ({
  name: `journal_${name}`,
  text: statements[name],
})

// Payments as rows of a PostgreSQL journal. Their times are columns of their own, since the database's clock writes them.
export type PaymentRow = {
  payment: string
  created_at: number
  updated_at: number
}

export const toPayment = ({payment, created_at: createdAt, updated_at: updatedAt}: PaymentRow): Payment =>
  readPaymentText(payment, createdAt, updatedAt)

export type HistoryRow = {
  service_id: string
  key: string
  at: number
  what: string
  detail: string | null
}

export const toHistoryEntry = ({at, what, detail}: HistoryRow): HistoryEntry => ({
  at,
  what,
  ...(detail !== null && {detail: readDetail(detail)}),
})

export const toDecisionEntry = (row: HistoryRow): DecisionEntry => ({
  ...toHistoryEntry(row),
  ...(row.key !== '' && {serviceId: row.service_id, key: row.key}),
})

// The currency, the amount and the destination.
const getContentValues = (payment: Pick<Payment, 'content'>): SqlValue[] => {
  const {currency, amount, destination} = toColumnValues(payment)
  return [currency, amount, destination]
}

// The last values of a statement that adds a line to the history: what, detail, the digest of the payment, the digest of all of
// these, and the chain.
export function getEntryValues(serviceId: string, key: string, entry: Entry, paymentText?: string): SqlValue[] {
  const {what} = entry
  const detail = entry.detail ? JSON.stringify(entry.detail) : null
  const payment = paymentText === undefined ? null : digestText(paymentText)
  const body = digestBody({serviceId, key, what, detail, payment})
  return [what, detail, payment, body, pickDatabaseChain(serviceId, key)]
}

export function getCreatedValues(intent: Intent, writeId: string): SqlValue[] {
  const {serviceId, key, template, slot} = intent
  const payment = toNewPayment(intent)
  const names = [serviceId, key, template ?? null, slot ?? null]
  const text = toPaymentText(payment)
  const line = getEntryValues(serviceId, key, {what: 'INTENDED'}, text)
  return [...names, ...getContentValues(payment), text, writeId, ...line]
}

// The values of a commit from the state to the write id.
export const getChangedValues = (payment: Payment, paymentText: string, writeId: string): SqlValue[] => [
  payment.state,
  paymentText,
  ...getContentValues(payment),
  payment.transactionId ?? null,
  getSpentAt(payment),
  writeId,
]
