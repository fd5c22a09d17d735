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
import {fileChain} from '../chain.ts'
import {JournalUnusable} from '../journal.ts'
import {createSchema} from '../tables.ts'

// A file with another version is rejected, not migrated.
const journalSchemaVersion = 8

// There is one chain, so its numbers are the numbers of the rows, and lines are written at the end of their table.
export const lineOrder = 'number'

// The payments have row numbers too, so that those that are paid at the same time share pages: a commit writes fewer of them.
export const journalSchema = createSchema(
  {
    prefix: '',
    types: {text: 'text', integer: 'integer'},
    writeId: '',
    options: {payments: 'strict', history: 'strict', chains: 'strict'},
    include: '',
    lineOrder,
  },
  [fileChain],
)

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
    return openSqliteFile(file, journalFormat, {connect, checkedPagesMax, isReadable: true})
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
