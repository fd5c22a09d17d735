// The tables of the journal in PostgreSQL. They hold what the SQLite file does, and nothing personal.
import type {SchemaPart} from '../../../storage/postgres/schema-parts.ts'

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

export const journalPart: SchemaPart = {name: 'journal', migrations: [first, second], compatibleFrom: 1}
