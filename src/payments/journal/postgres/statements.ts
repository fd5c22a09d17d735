// The SQL of the journal in PostgreSQL.
import type {Statement} from '../../../storage/postgres/database.ts'

const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
const toMs = (time: string) => `(extract(epoch from ${time}) * 1000)::bigint`

const own = 'service_id = $1 and key = $2'
export const columns = 'payment, created_at, updated_at'

// There are few services, and each is found by one step in the primary key.
const services = `
    with recursive services (id) as (
      (select service_id from svc.payments order by service_id limit 1)
      union all
      select (select service_id from svc.payments where service_id > services.id order by service_id limit 1)
      from services where services.id is not null
    )`

const statements = {
  findHolder: `select owner, ${toMs('renewed_at')} as renewed_at, ${nowMs} as ms from svc.payments where ${own} and owner is not null`,

  // $1 what
  decisions: 'select service_id, key, at, what, detail from svc.history where what = $1 order by at, chain, number',

  history: `select service_id, key, at, what, detail from svc.history where ${own} order by chain, number`,

  role: `select current_user as name, pg_has_role(current_user, relowner, 'member') as "isOwner"
    from pg_class where oid = 'svc.history'::regclass`,

  // $1 service, $2 destination, $3 currency, $4 since, $5 states
  paidTo: `
    select ${columns} from svc.payments
    where service_id = $1 and destination = $2 and currency = $3 and spent_at >= $4 and state = any($5)
    order by spent_at, key`,

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

  // $1 service, $2 keys that are left out, $3 currency, $4 since, $5 states. Amounts that can be added are added, since only their
  // sum is needed. A payment whose amount is unknown has no currency either.
  spent: `
    with spent as (
      select amount, amount ~ '^[0-9]+([.][0-9]+)?$' as is_decimal from svc.payments
      where service_id = $1 and currency in ($3, '') and spent_at >= $4 and spent_at is not null and key <> all($2::text[])
        and state = any($5)
    )
    select sum(amount::numeric)::text as amount from spent where is_decimal having count(*) > 0
    union all
    select distinct amount from spent where not is_decimal`,

  // $1 keys. The payments of all services.
  everywhere: `
    ${services}
    select ${columns} from services join svc.payments on service_id = services.id and key = any($1) order by services.id`,

  // $1 service, $2 keys
  policyMark: 'select count(*)::int as mark from svc.history where service_id = $1 and key = any($2)',

  // $1 services, $2 transactions
  owners: `
    select ${columns} from svc.payments where service_id = any($1) and transaction_id = any($2) and transaction_id is not null`,

  // $1 names, in one order for everybody. The lock ends with the transaction.
  lock: `select pg_advisory_xact_lock(hashtextextended('svc ' || name, 0)) from unnest($1::text[]) as names (name)`,

  // $1 rows as JSON, $2 write id. Those that are there already are left out.
  insert: `
    with clock as materialized (select ${nowMs} as ms)
    insert into svc.payments (service_id, key, template, slot, state, currency, amount, destination, transaction_id, spent_at,
      payment, created_at, updated_at, epoch, owner, renewed_at, write_id)
    select "serviceId", key, template, slot, state, currency, amount, destination, "transactionId", "spentAt", payment, ms, ms, 1,
      owner, clock_timestamp(), $2
    from clock, json_to_recordset($1::json) as r ("serviceId" text, key text, template text, slot text, state text, currency text,
      amount text, destination text, "transactionId" text, "spentAt" bigint, payment text, owner text)
    order by "serviceId", key
    on conflict (service_id, key) do nothing
    returning service_id, key, created_at`,

  // $1 services, $2 keys. Rows are locked in one order by everybody, so that nobody waits for each other.
  lockRows: `
    select service_id, key, ${columns}, epoch, owner, ${toMs('renewed_at')} as renewed_at, write_id, ${nowMs} as ms
    from svc.payments where (service_id, key) in (select * from unnest($1::text[], $2::text[]))
    order by service_id, key for update`,

  // $1 chains. They are the last locks that a transaction takes.
  lockChains: `
    select chain, number, hash, ${nowMs} as ms from svc.chains where chain = any($1::int[]) order by chain for update`,

  // $1 rows as JSON, $2 write id, $3 lines as JSON, $4 the new heads as JSON
  write: `
    with changed as (
      update svc.payments as row set state = r.state, payment = r.payment, currency = r.currency, amount = r.amount,
        destination = r.destination, transaction_id = r."transactionId", spent_at = r."spentAt", updated_at = r.updated_at,
        epoch = r.epoch, owner = r.owner, renewed_at = case when r.owner is null then null else clock_timestamp() end, write_id = $2
      from json_to_recordset($1::json) as r ("serviceId" text, key text, state text, currency text, amount text, destination text,
        "transactionId" text, "spentAt" bigint, payment text, updated_at bigint, epoch bigint, owner text)
      where row.service_id = r."serviceId" and row.key = r.key
    ),
    logged as (
      insert into svc.history (chain, number, service_id, key, at, what, detail, payment, hash)
      select chain, number, "serviceId", key, at, what, detail, payment, hash
      from json_to_recordset($3::json) as r (chain int, number bigint, "serviceId" text, key text, at bigint, what text, detail text,
        payment text, hash text)
    )
    update svc.chains as head set number = r.number, hash = r.hash
    from json_to_recordset($4::json) as r (chain int, number bigint, hash text) where head.chain = r.chain`,

  // $1 payments as they are stored elsewhere, as JSON
  copyPayments: `
    insert into svc.payments (service_id, key, template, slot, state, currency, amount, destination, transaction_id, spent_at,
      payment, created_at, updated_at, write_id)
    select "serviceId", key, template, slot, state, currency, amount, destination, "transactionId", "spentAt", text, "createdAt",
      "updatedAt", 'copied'
    from json_to_recordset($1::json) as r ("serviceId" text, key text, template text, slot text, state text, currency text,
      amount text, destination text, "transactionId" text, "spentAt" bigint, text text, "createdAt" bigint, "updatedAt" bigint)`,

  // $1 chain, $2 number, $3 hash
  findLine: 'select number from svc.history where chain = $1 and number = $2 and hash = $3',
} as const

// The newest payments of all services, in this order of each.
export const listOfEveryService = (where: readonly string[], order: string) => `
  ${services}
  select ${columns} from services cross join lateral (
    select service_id, key, ${columns} from svc.payments
    where ${['service_id = services.id', ...where].join(' and ')} order by ${order}
  ) as newest order by ${order.replace(' limit', ', service_id desc limit')}`

export type StatementName = keyof typeof statements

export const getStatement = (name: StatementName): Statement => ({name: `journal_${name}`, text: statements[name]})
