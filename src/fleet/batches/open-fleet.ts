// Opens the database of the fleet, which is the one of the journal.
import {SvcError, badUsage} from '../../errors.ts'
import {describePostgresFailure} from '../../payments/journal/postgres/failure.ts'
import {openJournalDatabase} from '../../payments/journal/postgres/open-postgres-journal.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {findVersionProblem, readVersions} from '../../storage/postgres/schema-parts.ts'
import {fleetPart} from './schema.ts'

export interface FleetDatabase {
  database: PostgresDatabase
}

// What a machine without a fleet does instead.
export type FleetUse = 'batches' | 'schedules'

const instead: Readonly<Record<FleetUse, string>> = {
  batches: 'or pay the file from this machine with `svc payouts run`',
  schedules: "or let cron of this machine run `svc pay -f plan.yaml --key 'rent-{date}' --yes` (`svc docs automation`)",
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
