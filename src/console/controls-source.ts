// What the console shows beside the payments of the journal: what waits for an approval, what was used of the caps of a day, and the
// fleet, if the journal is in a database.
import {bindToPolicy} from '../bind-policy.ts'
import {SvcError} from '../errors.ts'
import {listApprovalsAsked} from '../controls/approvals-asked.ts'
import {readJournal} from '../payments/journal/entries.ts'
import type {Caller} from '../profiles/caller.ts'
import {isDatabase} from '../storage/journal-address.ts'
import {readServiceTraits} from '../transport.ts'
import {addAmounts} from '../values/money.ts'
import {dayMs} from '../values/time.ts'
import type {ControlsSource, DayCap, FleetState} from '../web/console/source.ts'
import {createRecentReads} from './sources.ts'

async function readCaps(caller: Caller, nowMs: number): Promise<DayCap[]> {
  const {spending} = await bindToPolicy(caller)
  const {serviceId, journal: address} = await readServiceTraits(caller)
  const sinceMs = nowMs - (nowMs % dayMs)
  return Promise.all(
    Object.entries(spending?.dayMax ?? {}).map(async ([label, allowed]) => {
      const currency = label.toUpperCase()
      const spent = await readJournal([], (journal) => journal.listSpentAmounts(serviceId, '', {currency, sinceMs}), {
        serviceId,
        journal: address,
      })
      return {currency, allowed, used: addAmounts(['0', ...spent])}
    }),
  )
}

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
    listCaps: (nowMs) => reads.share(['caps', nowMs - (nowMs % dayMs)], () => readCaps(caller, nowMs)),
    listApprovalsAsked: () => reads.share(['asked'], () => readAsked(caller)),
    readFleet: () => reads.share(['fleet'], () => readFleet(caller)),
  }
}
