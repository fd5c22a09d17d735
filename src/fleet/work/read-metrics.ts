// Reads the metrics of the fleet once, for `svc metrics`.
import {openJournal} from '../../payments/journal/open-journal.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import type {SpendingLimits} from '../../controls/limits.ts'
import {collectMetrics} from './metrics.ts'
import {withFleet} from '../batches/open-fleet.ts'
import {dayMs} from '../../values/time.ts'

export const readMetrics = ({serviceId, journal: address}: ServiceTraits, spending: SpendingLimits): Promise<string> =>
  withFleet(address, async ({database}) => {
    const journal = await openJournal(address, {isOnlyRead: true})
    try {
      const nowMs = Date.now()
      const listSpentToday = (currency: string) =>
        journal.listSpentAmounts(serviceId, '', {currency, sinceMs: nowMs - (nowMs % dayMs)})
      return await collectMetrics({database, serviceId, spending, listSpentToday})
    } finally {
      await journal.close()
    }
  })
