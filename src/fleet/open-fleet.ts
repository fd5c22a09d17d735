// Opens the database of the fleet, which is the one of the journal.
import {SvcError, badUsage} from '../errors.ts'
import {withJournalDatabase} from '../payments/journal/postgres/open-postgres-journal.ts'
import {type JournalAddress, isDatabase} from '../storage/journal-address.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {type SchemaPart, type VersionProblem, findVersionProblem} from '../storage/postgres/schema-parts.ts'
import {svc} from '../values/text.ts'

// Like the journal, the tables hold ids and amounts, and nothing personal. Text is compared byte by byte, as there.
// What has become of a row is in the journal; `heard` is what a worker knows of it and the journal does not keep.
const tables = `
create table svc.batches (
  id text collate "C" primary key,
  service_id text collate "C" not null,
  name text collate "C" not null,
  slot text collate "C",
  slot_at timestamptz,
  digest text collate "C" not null,
  state text not null check (state in ('ACTIVE', 'PAUSED', 'CANCELLED')),
  refusal text collate "C",
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
  "row" jsonb not null,
  content_digest text collate "C" not null,
  heard jsonb,
  primary key (batch_id, line)
);
create index batch_rows_by_key on svc.batch_rows (key);
`

export const fleetPart: SchemaPart = {name: 'fleet', version: 3, schema: tables}

const needsPostgres = () =>
  badUsage(
    'A fleet needs a journal on PostgreSQL, but the journal is a file',
    `Set SVC_JOURNAL=postgres://USER@HOST/DATABASE, or pay the file from this machine with ${svc`payouts run`}; ${svc`payouts status FILE`} shows how far it is`,
  )

function wrongVersion(problem: VersionProblem): SvcError {
  const [what, hint] =
    problem === 'missing'
      ? ['missing', `Create the tables of the fleet with ${svc`journal init`}`]
      : ['those of another version of svc', 'Use that version, or another database']
  return new SvcError({error: 'NOT_INITIALIZED', kind: 'usage', message: `The tables of the fleet are ${what}`, hint})
}

// A database that is not prepared is never changed here.
export async function withFleet<T>(
  address: JournalAddress,
  work: (database: PostgresDatabase) => Promise<T>,
): Promise<T> {
  if (!isDatabase(address)) throw needsPostgres()
  return withJournalDatabase(address, async (database) => {
    const problem = await findVersionProblem(database, fleetPart)
    if (problem) throw wrongVersion(problem)
    return work(database)
  })
}
