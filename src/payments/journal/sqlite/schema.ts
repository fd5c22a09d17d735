// The tables of the journal. A file with another version is rejected, not migrated.
import {chainStart, fileChain} from '../chain.ts'

export const journalSchemaVersion = 7

// Most payments pass through their states and are never looked at again, so the indexes cover only what is searched for: what
// is unsettled or was not made, and what has or may have spent money. The conditions on the state are repeated in list-query.ts.
// paymentsByTime serves the newest payments of a service among a million; times grow, so it is written at its end.
// The payments have row numbers, so that those that are paid at the same time share pages: a commit writes fewer of them.
// The history is a hash chain in the order of `seq`; `chains` has its end.
export const journalSchema = `
create table payments (
  serviceId text not null,
  key text not null,
  template text,
  slot text,
  state text not null,
  currency text not null,
  amount text not null,
  destination text not null,
  transactionId text,
  spentAt integer,
  createdAt integer not null,
  updatedAt integer not null,
  payment text not null,
  epoch integer not null default 0,
  owner text,
  renewedAt integer,
  primary key (serviceId, key)
) strict;
create index paymentsByTime on payments (serviceId, createdAt, key);
create index paymentsUnsettled on payments (serviceId, createdAt, key) where state in ('ARMED', 'UNKNOWN');
create index paymentsNotMade on payments (serviceId, createdAt, key)
  where state in ('INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED');
create index paymentsByDestination on payments (serviceId, destination, currency, spentAt) where spentAt is not null;
create index paymentsByTemplate on payments (serviceId, template, slot) where template is not null;
create index paymentsBySpending on payments (serviceId, currency, spentAt) where spentAt is not null;
create index paymentsByTransaction on payments (serviceId, transactionId) where transactionId is not null;
create table reservations (
  serviceId text not null,
  id text not null,
  currency text not null,
  amount text not null,
  spentAt integer not null,
  primary key (serviceId, id)
) strict, without rowid;
create table history (
  serviceId text not null,
  key text not null,
  seq integer primary key,
  at integer not null,
  what text not null,
  detail text,
  evidence text,
  payment text,
  hash text not null
) strict;
create index historyByKey on history (serviceId, key, seq);
create table chains (
  chain integer primary key,
  number integer not null,
  hash text not null
) strict;
insert into chains values (${fileChain}, 0, '${chainStart}');
`
