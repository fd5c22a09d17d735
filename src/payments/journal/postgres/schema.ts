// The tables of the journal in PostgreSQL. They hold what the SQLite file does, and nothing personal.
import type {SchemaPart} from '../../../storage/postgres/schema-parts.ts'
import {policySubject} from '../journal.ts'
import {bodySql, chainStart, databaseChains, fileChain, linkSql, subjectSql} from '../chain.ts'

// Text is compared byte by byte, as SQLite does. The time of leases is the database's alone. `write_id` tells which write a row
// has from, for a commit whose answer was lost. Most payments are never looked at again, so most indexes cover only what is
// searched for; payments_by_time serves the newest payments of a service among a million.
const first = `
create table svc.payments (
  service_id text collate "C" not null,
  key text collate "C" not null,
  template text collate "C",
  slot text collate "C",
  state text not null,
  currency text not null,
  amount text not null,
  destination text not null,
  transaction_id text,
  spent_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  payment text not null,
  epoch bigint not null default 0,
  owner text,
  renewed_at timestamptz,
  write_id text not null,
  primary key (service_id, key)
) with (fillfactor = 80);
create index payments_by_time on svc.payments (service_id, created_at, key);
create index payments_unsettled on svc.payments (service_id, created_at, key) where state in ('ARMED', 'UNKNOWN');
create index payments_by_destination on svc.payments (service_id, destination, currency, spent_at)
  where spent_at is not null;
create index payments_by_template on svc.payments (service_id, template, slot) where template is not null;
create index payments_by_spending on svc.payments (service_id, currency, spent_at) include (amount, state, key)
  where spent_at is not null;
create index payments_by_transaction on svc.payments (transaction_id) where transaction_id is not null;
create table svc.reservations (
  service_id text collate "C" not null,
  id text collate "C" not null,
  currency text not null,
  amount text not null,
  spent_at bigint not null,
  primary key (service_id, id)
);
create table svc.history (
  service_id text collate "C" not null,
  key text collate "C" not null,
  seq bigint generated always as identity,
  at bigint not null,
  what text not null,
  detail text,
  primary key (service_id, key, seq)
);
`

// For lists of what was not made, and for the transactions of one service.
const second = `
create index payments_not_made on svc.payments (service_id, created_at, key)
  where state in ('INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED');
drop index svc.payments_by_transaction;
create index payments_by_transaction on svc.payments (service_id, transaction_id) where transaction_id is not null;
`

// Makes the history hash chains. What was there before becomes chain 0, in its order: of each payment, the last line that
// changed it covers it as it is now. Hosts lock the row of a chain while they append to it, so rows have room to be updated in place.
const chained = `
create table svc.chains (
  chain integer primary key,
  number bigint not null,
  hash text not null
) with (fillfactor = 10);
insert into svc.chains select chain, 0, '${chainStart}' from generate_series(${fileChain}, ${databaseChains}) as chain;
alter table svc.history add column chain integer, add column number bigint, add column evidence text, add column payment text,
  add column hash text;
create temporary table history_order on commit drop as
  select service_id, key, seq, at, what, detail, null::text as payment, row_number() over (order by seq) as number
  from svc.history;
create unique index on history_order (number);
update history_order as line set payment = encode(sha256(convert_to(p.payment, 'UTF8')), 'hex')
  from svc.payments as p, (
    select service_id, key, max(number) as number from history_order
    where what not in ('TAKEN_OVER', 'DECISION') group by service_id, key
  ) as last
  where line.number = last.number and p.service_id = last.service_id and p.key = last.key;
with recursive walk (number, hash) as (
    select 0::bigint, '${chainStart}'
    union all
    select line.number, ${linkSql({
      before: 'walk.hash',
      subject: subjectSql('line.service_id', 'line.key'),
      chain: String(fileChain),
      number: 'line.number',
      at: 'line.at',
      body: bodySql({
        serviceId: 'line.service_id',
        key: 'line.key',
        what: 'line.what',
        detail: 'line.detail',
        evidence: 'null::text',
        payment: 'line.payment',
      }),
    })}
    from walk join history_order as line on line.number = walk.number + 1
  )
  update svc.history as entry set chain = ${fileChain}, number = line.number, payment = line.payment, hash = walk.hash
  from walk join history_order as line on line.number = walk.number
  where entry.service_id = line.service_id and entry.key = line.key and entry.seq = line.seq;
update svc.chains set number = last.number, hash = last.hash
  from (select number, hash from svc.history order by number desc limit 1) as last where chains.chain = ${fileChain};
alter table svc.history drop constraint history_pkey;
alter table svc.history drop column seq;
alter table svc.history alter column chain set not null, alter column number set not null, alter column hash set not null;
alter table svc.history add primary key (chain, number);
create index history_by_key on svc.history (service_id, key, chain, number);
`

// The owner of the journal is not bound by it. Everybody else may read and add to the history, but not change it, nor add versions of
// a policy.
const policies = `
alter table svc.history enable row level security;
create policy history_read on svc.history for select using (true);
create policy history_add on svc.history for insert
  with check (not (service_id = '${policySubject.serviceId}' and key = '${policySubject.key}'));
`

export const journalPart: SchemaPart = {
  name: 'journal',
  migrations: [first, second, chained, policies],
  compatibleFrom: 3,
}
