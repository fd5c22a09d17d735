// Creates or migrates the journal in a PostgreSQL database.
import type {JournalAddress} from '../../../storage/journal-address.ts'
import {type SchemaPart, initSchema} from '../../../storage/postgres/schema-parts.ts'
import {describePostgresFailure} from './failure.ts'
import {openJournalDatabase} from './open-postgres-journal.ts'

export interface JournalInit {
  journal: string
  // What is done to each part of the schema that is not yet up to date: its version before, 0 for none, and after.
  changes: Array<{part: string; from: number; to: number}>
  // Whether the server's settings let a commit survive a crash of its machine.
  isDurable: boolean
}

export async function initJournal(
  address: JournalAddress,
  parts: readonly SchemaPart[],
  options: {isRehearsal?: boolean} = {},
): Promise<JournalInit> {
  const database = openJournalDatabase(address)
  try {
    await database.connect()
    return {journal: address.text, ...(await initSchema(database, parts, options))}
  } catch (error) {
    throw describePostgresFailure(address.text, error)
  } finally {
    await database.close()
  }
}
