// A database with the journal and the queue of a fleet, and homes whose journal it is.
import {approvalsPart} from '../../src/controls/approval-store.ts'
import {initQueue} from '../../src/fleet/queue.ts'
import {fleetPart, withFleet} from '../../src/fleet/open-fleet.ts'
import {collectMetrics} from '../../src/fleet/metrics.ts'
import {WorkStatistics} from '../../src/fleet/worker.ts'
import {initJournal} from '../../src/payments/journal/postgres/open-postgres-journal.ts'
import {journalPart} from '../../src/payments/journal/postgres/postgres-journal.ts'
import {usePostgres} from './postgres.ts'
import {type Home, freshHome} from './svc.ts'

export async function prepareFleet(text: string): Promise<void> {
  await initJournal({text}, [journalPart, fleetPart, approvalsPart])
  await initQueue({text}, {isDryRun: false})
}

// What a worker of the service serves as its metrics.
export const readMetrics = (text: string, serviceId: string): Promise<string> =>
  withFleet({text}, (database) => collectMetrics(database, serviceId, new WorkStatistics()))

// Each home has a sandbox of its own, so its batches are its own too.
export function useFleet(): {getAddress: () => string; freshHost: () => Home} {
  const getAddress = usePostgres(prepareFleet)
  return {
    getAddress,
    freshHost() {
      const {folder, env} = freshHome()
      return {folder, env: {...env, SVC_JOURNAL: getAddress()}}
    },
  }
}
