// A database with the journal and the queue of a fleet, and homes whose journal it is.
import {approvalsPart} from '../../src/controls/approval-store.ts'
import {initQueue} from '../../src/fleet/batches/queue.ts'
import {fleetPart} from '../../src/fleet/batches/open-fleet.ts'
import {withFleetReader} from '../../src/fleet/batches/report-rows.ts'
import {collectMetrics} from '../../src/fleet/work/metrics.ts'
import {initJournal} from '../../src/payments/journal/postgres/open-postgres-journal.ts'
import {journalPart} from '../../src/payments/journal/postgres/schema.ts'
import {usePostgres} from './postgres.ts'
import {type Home, freshHome} from './svc.ts'

export async function prepareFleet(text: string): Promise<void> {
  await initJournal({text}, [journalPart, fleetPart, approvalsPart])
  await initQueue({text}, {isDryRun: false})
}

// What a worker of the service serves as its metrics.
export const readMetrics = (text: string, serviceId: string): Promise<string> =>
  withFleetReader({serviceId, journal: {text}}, (fleet) =>
    collectMetrics({fleet, spending: {}, listSpentToday: async () => []}),
  )

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
