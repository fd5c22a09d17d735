// Opens the database of the fleet, which is the one of the journal.
import {SvcError, badUsage} from '../../errors.ts'
import {describePostgresFailure} from '../../payments/journal/postgres/failure.ts'
import {openJournalDatabase} from '../../payments/journal/postgres/open-postgres-journal.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type SchemaPart, findVersionProblem, readVersions} from '../../storage/postgres/schema-parts.ts'
import {slotBatchIdLength} from './batch.ts'

// The tables of the fleet in the schema `svc`: batches, their rows, who works, how fast the service may be called, and schedules.
// Like the journal they hold ids and amounts, and nothing personal.

// Text is compared byte by byte, as in the tables of the journal.
const first = `
create table svc.batches (
  id text collate "C" primary key,
  service_id text collate "C" not null,
  name text collate "C" not null,
  digest text collate "C" not null,
  state text not null check (state in ('ACTIVE', 'PAUSED', 'CANCELLED', 'DONE')),
  row_count integer not null,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index batches_by_digest on svc.batches (service_id, digest) where state <> 'CANCELLED';
create index batches_by_age on svc.batches (service_id, created_at desc);
create index batches_open on svc.batches (service_id, created_at) where ended_at is null;

create table svc.batch_rows (
  batch_id text collate "C" not null references svc.batches,
  line integer not null,
  key text collate "C" not null,
  content jsonb not null,
  limits jsonb not null,
  is_guaranteed boolean not null,
  made_before boolean not null default false,
  state text not null default 'WAITING',
  result jsonb,
  tries integer not null default 0,
  updated_at timestamptz not null default now(),
  primary key (batch_id, line)
);
create index batch_rows_by_key on svc.batch_rows (key);
create index batch_rows_notable on svc.batch_rows (batch_id, line) where state not in ('WAITING', 'CREATED');

create table svc.batch_counts (
  batch_id text collate "C" not null references svc.batches,
  state text not null,
  row_count integer not null,
  primary key (batch_id, state)
);

create table svc.workers (
  id text collate "C" primary key,
  service_id text collate "C" not null,
  host text not null,
  pid integer not null,
  version text not null,
  concurrency integer not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  in_flight integer not null default 0,
  rows_per_second double precision not null default 0,
  is_stopping boolean not null default false
);
create index workers_by_service on svc.workers (service_id, seen_at);

create table svc.paces (
  service_id text collate "C" primary key,
  rate_max double precision,
  tokens double precision not null default 0,
  refilled_at timestamptz not null default now(),
  slow_rate double precision,
  slowed_at timestamptz,
  not_before timestamptz not null default now()
);

create table svc.fleet_counters (
  service_id text collate "C" not null,
  name text collate "C" not null,
  total bigint not null,
  primary key (service_id, name)
);
`

// A slot of a schedule is a batch. Its rows are copies of those of the schedule, so that a change of the schedule leaves it alone.
// `decided_until` is the last slot about which was decided, and `next_at` the one after it.
const schedules = `
create table svc.schedules (
  id text collate "C" primary key,
  service_id text collate "C" not null,
  name text collate "C" not null,
  revision integer not null default 1,
  kind text not null check (kind in ('pay', 'payouts')),
  cron text not null,
  zone text not null,
  missed text not null check (missed in ('skip', 'latest', 'all')),
  is_paused boolean not null,
  allows_duplicates boolean not null,
  key text collate "C",
  file text,
  digest text not null,
  row_count integer not null,
  sums jsonb not null,
  decided_until timestamptz not null,
  next_at timestamptz,
  change_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index schedules_by_name on svc.schedules (service_id, name) where deleted_at is null;
create index schedules_due on svc.schedules (service_id, next_at) where deleted_at is null;

create table svc.schedule_rows (
  schedule_id text collate "C" not null references svc.schedules,
  line integer not null,
  key text collate "C" not null,
  content jsonb not null,
  limits jsonb not null,
  is_guaranteed boolean not null,
  primary key (schedule_id, line)
);

create table svc.schedule_runs (
  schedule_id text collate "C" not null references svc.schedules,
  slot_at timestamptz not null,
  batch_id text collate "C" references svc.batches,
  skipped_because text check (skipped_because in ('MISSED', 'PAUSED', 'DELETED')),
  decided_at timestamptz not null default now(),
  decided_by text not null,
  primary key (schedule_id, slot_at),
  check ((batch_id is null) = (skipped_because is not null))
);
create index schedule_runs_by_age on svc.schedule_runs (slot_at desc);
create unique index schedule_runs_by_batch on svc.schedule_runs (batch_id);

alter table svc.batches add column checks_duplicates boolean not null default false;
alter table svc.batch_rows add column template text collate "C", add column slot text collate "C";
`

// What a schedule pays was approved when it was applied, so a batch that somebody submitted must not become its slot. The ids of slots
// are longer.
const onlySlots = `
alter table svc.schedule_runs add constraint schedule_runs_of_slots check (length(batch_id) = ${slotBatchIdLength});
`

const notes = `
alter table svc.batch_rows add column note text;
alter table svc.schedule_rows add column note text;
`

export const fleetPart: SchemaPart = {
  name: 'fleet',
  migrations: [first, schedules, onlySlots, notes],
  compatibleFrom: 1,
}

export interface FleetDatabase {
  database: PostgresDatabase
}

// What a machine without a fleet does instead.
export type FleetUse = 'batches' | 'schedules'

const instead: Readonly<Record<FleetUse, string>> = {
  batches: 'or pay the file from this machine with `svc payouts run`; `svc payouts status FILE` shows how far it is',
  schedules:
    "or let cron of this machine run `svc pay -f plan.yaml --key 'rent-{month}' --yes` (`svc docs automation`)",
}

const needsPostgres = (use: FleetUse) =>
  badUsage(
    `${use === 'batches' ? 'A fleet needs' : 'Schedules need'} a journal on PostgreSQL, but the journal is a file`,
    `Set SVC_JOURNAL=postgres://USER@HOST/DATABASE, ${instead[use]}`,
  )

const versionHints = {
  missing: 'Create the tables of the fleet with `svc journal init`',
  older: 'Migrate it with `svc journal init`',
  newer: 'Update svc on this host',
} as const

const wrongVersion = (problem: keyof typeof versionHints) =>
  new SvcError({
    error: 'NOT_INITIALIZED',
    kind: 'usage',
    message: `The tables of the fleet are ${problem === 'missing' ? 'missing' : `those of ${problem === 'older' ? 'an older' : 'a newer'} svc`}`,
    hint: versionHints[problem],
  })

// A database that is not prepared is never changed here.
export async function openFleet(address: JournalAddress, use: FleetUse = 'batches'): Promise<FleetDatabase> {
  if (!isDatabase(address)) throw needsPostgres(use)
  const database = openJournalDatabase(address)
  try {
    await database.connect()
    const problem = findVersionProblem(fleetPart, await database.transact(readVersions, {isRepeatable: true}))
    if (problem) throw wrongVersion(problem)
    return {database}
  } catch (error) {
    await database.close()
    throw error instanceof SvcError ? error : describePostgresFailure(address.text, error)
  }
}

export async function withFleet<T>(
  address: JournalAddress,
  work: (fleet: FleetDatabase) => Promise<T>,
  use?: FleetUse,
): Promise<T> {
  const fleet = await openFleet(address, use)
  try {
    return await work(fleet)
  } catch (error) {
    throw error instanceof SvcError ? error : describePostgresFailure(address.text, error)
  } finally {
    await fleet.database.close()
  }
}
