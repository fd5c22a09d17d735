// Opens the file of the journal, and turns whatever is wrong with it into a sentence.
import {SvcError} from '../../errors.ts'
import {SqliteConnection, type SqliteFormat, openSqliteFile} from '../../storage/sqlite.ts'
import {type SqliteProblem, toSqliteFileError} from '../../storage/sqlite-error.ts'
import {JournalUnusable} from './journal.ts'
import {journalSchema, journalSchemaVersion} from './schema.ts'

// How long one process waits for another to finish its transaction.
export const journalBusyWaitMs = 10_000

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

const hints: Partial<Record<SqliteProblem, string>> = {
  busy: 'Try again when that process is done',
  newerSchema: 'Update svc',
}

// Errors that are not about the file are returned unchanged.
export function describeJournalFailure(file: string, error: unknown): unknown {
  if (error instanceof SvcError) return error
  // A payment that is not valid JSON.
  if (error instanceof SyntaxError) return new JournalUnusable(`The journal ${file} is damaged`, hintDefault, error)
  const failure = toSqliteFileError(file, error)
  if (!failure) return error
  return new JournalUnusable(`The journal ${file} ${failure.reason}`, hints[failure.problem] ?? hintDefault, error)
}

export function openJournalFile(file: string): SqliteConnection {
  try {
    return openSqliteFile(file, journalFormat, {
      connect: (resolved) => new SqliteConnection(resolved, journalBusyWaitMs),
      checkedPagesMax,
    })
  } catch (error) {
    throw describeJournalFailure(file, error)
  }
}
