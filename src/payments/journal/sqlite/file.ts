// Opens the file of the journal, and turns whatever is wrong with it into a sentence.
import {SvcError} from '../../../errors.ts'
import {
  type SqliteAccess,
  SqliteConnection,
  type SqliteFormat,
  checkFileExists,
  openSqliteFile,
} from '../../../storage/sqlite.ts'
import {type SqliteProblem, toSqliteFileError} from '../../../storage/sqlite-error.ts'
import {chainStart, fileChain} from '../chain.ts'
import {JournalUnusable} from '../journal.ts'

// The tables of the journal. A file with another version is rejected, not migrated.
const journalSchemaVersion = 7

// Most payments pass through their states and are never looked at again, so the indexes cover only what is searched for: what
// is unsettled or was not made, and what has or may have spent money. The conditions on the state are repeated in queries.ts.
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
create table history (
  serviceId text not null,
  key text not null,
  seq integer primary key,
  at integer not null,
  what text not null,
  detail text,
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

// How long one process waits for another to finish its transaction.
const journalBusyWaitMs = 10_000

// Checking a larger file for every payment takes too long; damage in it is noticed when the damaged part is read.
const checkedPagesMax = 4_000

const journalFormat: SqliteFormat = {
  // "svcj" in ASCII.
  applicationId: 0x7376636a,
  schemaVersion: journalSchemaVersion,
  schema: journalSchema,
  description: 'a payment journal',
}

const hintDefault =
  'Repair it, or name another file with SVC_JOURNAL; another file does not know what this one has paid'

const newJournalWarning = 'which does not know what was paid'

const hints: Partial<Record<SqliteProblem, string>> = {
  busy: 'Try again when that process is done',
  newerSchema: 'Update svc',
  empty: `svc never leaves it empty, so its content was lost: restore it, or remove the file to begin a new journal, ${newJournalWarning}`,
  missing: `Restore it, or remove the files that are left of it to begin a new journal, ${newJournalWarning}`,
  unreadableLog: 'Copy both files to a folder where you can write, and name the copy with SVC_JOURNAL',
}

// Errors that are not about the file are returned unchanged.
export function describeJournalFailure(file: string, error: unknown): unknown {
  if (error instanceof SvcError) return error
  // A payment that is not valid JSON.
  if (error instanceof SyntaxError) return new JournalUnusable(`The journal ${file} is damaged`, hintDefault, error)
  const failure = toSqliteFileError(file, error)
  if (!failure) return error
  const hint = hints[failure.problem] ?? hintDefault
  return new JournalUnusable(`The journal ${file} ${failure.reason}`, hint, error, {
    problem: failure.problem === 'busy' ? 'busy' : undefined,
  })
}

const connect = (file: string, access: SqliteAccess) => new SqliteConnection(file, journalBusyWaitMs, access)

// A file that cannot be written is opened for reading: what was paid, or may have been, is told all the same.
export function openJournalFile(file: string): SqliteConnection {
  try {
    return openSqliteFile(file, journalFormat, {connect, checkedPagesMax, isIrreplaceable: true})
  } catch (error) {
    throw describeJournalFailure(file, error)
  }
}

// Throws if the file is gone, but something of it is left.
export function hasJournalFile(file: string): boolean {
  try {
    return checkFileExists(file)
  } catch (error) {
    throw describeJournalFailure(file, error)
  }
}
