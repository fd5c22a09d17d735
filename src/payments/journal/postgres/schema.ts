// The tables of the journal in PostgreSQL. They hold what the SQLite file does, and nothing personal.
import type {SchemaPart} from '../../../storage/postgres/schema-parts.ts'
import {policySubject} from '../../../controls/decisions.ts'
import {chainStart, databaseChains, fileChain} from '../chain.ts'

// Text is compared byte by byte, as SQLite does. The time of leases is the database's alone. `write_id` tells which write a row
// has from, for a commit whose answer was lost. Most payments are never looked at again, so most indexes cover only what is
// searched for; payments_by_time serves the newest payments of a service among a million.
// Hosts lock the row of a chain while they append to it, so rows have room to be updated in place.
// The owner of the journal is not bound by the policies. Everybody else may read and add to the history, but not change it, nor add
// versions of a policy.
const schema = `
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
create index payments_by_transaction on svc.payments (service_id, transaction_id) where transaction_id is not null;
create index payments_not_made on svc.payments (service_id, created_at, key)
  where state in ('INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED');
create table svc.chains (
  chain integer primary key,
  number bigint not null,
  hash text not null
) with (fillfactor = 10);
insert into svc.chains select chain, 0, '${chainStart}' from generate_series(${fileChain}, ${databaseChains}) as chain;
create table svc.history (
  chain integer not null,
  number bigint not null,
  service_id text collate "C" not null,
  key text collate "C" not null,
  at bigint not null,
  what text not null,
  detail text,
  payment text,
  hash text not null,
  primary key (chain, number)
);
create index history_by_key on svc.history (service_id, key, chain, number);
alter table svc.history enable row level security;
create policy history_read on svc.history for select using (true);
create policy history_add on svc.history for insert
  with check (not (service_id = '${policySubject.serviceId}' and key = '${policySubject.key}'));
`

export const journalPart: SchemaPart = {name: 'journal', migrations: [schema], compatibleFrom: 1}
