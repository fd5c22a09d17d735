// Opens the journal in a PostgreSQL database that `svc journal init` has prepared.
import {runSecretCommand} from '../../../profiles/credentials.ts'
import type {JournalAddress} from '../../../storage/journal-address.ts'
import {parsePostgresAddress} from '../../../storage/postgres/address.ts'
import {PostgresDatabase} from '../../../storage/postgres/database.ts'
import {grantTables} from '../../../storage/postgres/grants.ts'
import {
  type SchemaPart,
  type VersionProblem,
  findVersionProblem,
  initSchema,
  isReplicatedLater,
} from '../../../storage/postgres/schema-parts.ts'
import {type JournalOptions, JournalUnusable} from '../journal.ts'
import {describePostgresFailure} from './failure.ts'
import {PostgresJournal, journalPart} from './postgres-journal.ts'

// Opens the database of a journal, whether it has one yet or not.
export function openJournalDatabase(
  {text, passwordCommand}: JournalAddress,
  {waitMs}: Pick<JournalOptions, 'waitMs'> = {},
): PostgresDatabase {
  const printPassword = passwordCommand && (() => runSecretCommand(passwordCommand.label, passwordCommand.command))
  return new PostgresDatabase(parsePostgresAddress(text, 'The journal'), {waitMs, printPassword})
}

// The same for some work.
export async function withJournalDatabase<T>(
  address: JournalAddress,
  work: (database: PostgresDatabase) => Promise<T>,
): Promise<T> {
  const database = openJournalDatabase(address)
  try {
    await database.connect()
    return await work(database)
  } catch (error) {
    throw describePostgresFailure(address.text, error)
  } finally {
    await database.close()
  }
}

const versionProblems: Readonly<Record<VersionProblem, {reason: string; hint: string}>> = {
  missing: {reason: 'does not exist yet', hint: 'Create it with `svc journal init`'},
  other: {
    reason: 'was made by another version of svc',
    hint: 'Use that version, or name another database with SVC_JOURNAL; another one does not know what this one has paid',
  },
}

// A database without a journal is never given one here.
export async function checkVersion(database: PostgresDatabase): Promise<void> {
  const problem = await findVersionProblem(database, journalPart)
  if (!problem) return
  const {reason, hint} = versionProblems[problem]
  throw new JournalUnusable(`The journal ${database.address} ${reason}`, hint)
}

// A server that cannot be reached is reported at once.
export async function openPostgresJournal(
  address: JournalAddress,
  options: JournalOptions = {},
): Promise<PostgresJournal> {
  const database = openJournalDatabase(address, options)
  try {
    await database.connect()
    await checkVersion(database)
    return new PostgresJournal(database)
  } catch (error) {
    await database.close()
    throw describePostgresFailure(address.text, error)
  }
}

// Creates the journal in a PostgreSQL database.
export interface JournalInit {
  journal: string
  // Each part of the schema that is created or changed: its version before, 0 for none, and after.
  changes: Array<{part: string; from: number; to: number}>
  // Whether the server's settings let a commit survive a crash of its machine.
  isDurable: boolean
  // Whether it has a standby that may lack the last commits.
  isReplicatedLater: boolean
}

// Whether the database of a journal has a standby that may lack its last commits.
export const hasLateStandby = (address: JournalAddress): Promise<boolean> =>
  withJournalDatabase(address, (database) => database.transact(isReplicatedLater, {isRepeatable: true}))

// Lets a role work with the tables, and do no more.
export const grantJournal = (address: JournalAddress, name: string): Promise<void> =>
  withJournalDatabase(address, (database) => grantTables(database, name))

export const initJournal = (
  address: JournalAddress,
  parts: readonly SchemaPart[],
  options: {isDryRun?: boolean} = {},
): Promise<JournalInit> =>
  withJournalDatabase(address, async (database) => ({
    journal: address.text,
    ...(await initSchema(database, parts, options)),
  }))
