// Creates or migrates the queue of the fleet, for `svc journal init`.
import {describePostgresFailure} from '../../payments/journal/postgres/failure.ts'
import {openJournalDatabase} from '../../payments/journal/postgres/open-postgres-journal.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {toPostgresError} from '../../storage/postgres/postgres-error.ts'
import {type QueueChange, installBoss} from './boss.ts'

// Returns what was changed, or would be.
export async function initQueue(
  address: JournalAddress,
  options: {isRehearsal: boolean},
): Promise<QueueChange | undefined> {
  const database = openJournalDatabase(address)
  try {
    return await installBoss(database, options)
  } catch (error) {
    throw describePostgresFailure(address.text, toPostgresError(error, {isConnected: true}) ?? error)
  } finally {
    await database.close()
  }
}
