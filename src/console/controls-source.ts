// What the console shows beside the payments of the journal: what waits for an approval, and the fleet, if the journal is in a
// database.
import {SvcError} from '../errors.ts'
import {listApprovalsAsked} from '../controls/approvals-asked.ts'
import {readJournal} from '../payments/journal/walk.ts'
import type {Caller} from '../profiles/caller.ts'
import {isDatabase} from '../storage/journal-address.ts'
import {readServiceTraits} from '../transport.ts'
import type {ControlsSource, FleetState} from '../web/console/source.ts'
import {createRecentReads} from './sources.ts'

const readAsked = async (caller: Caller) => {
  const {serviceId, journal: address} = await readServiceTraits(caller)
  return readJournal([], (journal) => listApprovalsAsked(journal, serviceId, Date.now()), {serviceId, journal: address})
}

// A database that has a journal and no queue has no fleet.
async function readFleet(caller: Caller): Promise<FleetState | undefined> {
  const traits = await readServiceTraits(caller)
  if (!isDatabase(traits.journal)) return undefined
  const {readFleetState} = await import('../fleet/status.ts')
  try {
    return await readFleetState(traits)
  } catch (error) {
    if (error instanceof SvcError && error.error === 'NOT_INITIALIZED') return undefined
    throw error
  }
}

// The console of the sandbox reads its pages anew every second, so what costs a connection is kept for a while.
export function createControlsSource(caller: Caller): ControlsSource {
  const reads = createRecentReads()
  return {
    listApprovalsAsked: () => reads.share(['asked'], () => readAsked(caller)),
    readFleet: () => reads.share(['fleet'], () => readFleet(caller)),
  }
}
