// Opens the journal in a PostgreSQL database that `svc journal init` has prepared.
import {runSecretCommand} from '../../../profiles/credentials.ts'
import type {JournalAddress} from '../../../storage/journal-address.ts'
import {parsePostgresAddress} from '../../../storage/postgres/address.ts'
import {PostgresDatabase} from '../../../storage/postgres/database.ts'
import {grantTables} from '../../../storage/postgres/grants.ts'
import {PostgresError} from '../../../storage/postgres/postgres-error.ts'
import {
  type SchemaPart,
  type SchemaResult,
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

// A database without a journal is never given one here.
export async function checkVersion(database: PostgresDatabase): Promise<void> {
  const problem = await findVersionProblem(database, journalPart)
  if (problem === 'missing') throw new PostgresError('missing', 'does not exist yet')
  if (!problem) return
  throw new JournalUnusable(
    `The journal ${database.address} was made by another version of svc`,
    'Use that version, or name another database with SVC_JOURNAL; another one does not know what this one has paid',
  )
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

export type JournalInit = SchemaResult & {journal: string}

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
