// Opens the database of the fleet, which is the one of the journal.
import {SvcError, badUsage} from '../../errors.ts'
import {describePostgresFailure} from '../../payments/journal/postgres/failure.ts'
import {openJournalDatabase} from '../../payments/journal/postgres/open-postgres-journal.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type SchemaPart, findVersionProblem, readVersions} from '../../storage/postgres/schema-parts.ts'

// The tables of the fleet in the schema `svc`: batches, their rows, who works, and how fast the service may be called.
// Like the journal they hold ids and amounts, and nothing personal.

// Text is compared byte by byte, as in the tables of the journal.
const first = `
create table svc.batches (
  id text collate "C" primary key,
  service_id text collate "C" not null,
  name text collate "C" not null,
  slot text collate "C",
  slot_at timestamptz,
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
  template text collate "C",
  slot text collate "C",
  note text,
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

export const fleetPart: SchemaPart = {
  name: 'fleet',
  migrations: [first],
  compatibleFrom: 1,
}

export interface FleetDatabase {
  database: PostgresDatabase
}

const needsPostgres = () =>
  badUsage(
    'A fleet needs a journal on PostgreSQL, but the journal is a file',
    'Set SVC_JOURNAL=postgres://USER@HOST/DATABASE, or pay the file from this machine with `svc payouts run`; `svc payouts status FILE` shows how far it is',
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
export async function openFleet(address: JournalAddress): Promise<FleetDatabase> {
  if (!isDatabase(address)) throw needsPostgres()
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

export async function withFleet<T>(address: JournalAddress, work: (fleet: FleetDatabase) => Promise<T>): Promise<T> {
  const fleet = await openFleet(address)
  try {
    return await work(fleet)
  } catch (error) {
    throw error instanceof SvcError ? error : describePostgresFailure(address.text, error)
  } finally {
    await fleet.database.close()
  }
}
