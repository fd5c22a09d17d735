// Changes a batch that a person names, for `svc payouts pause`, `resume` and `cancel`.
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {findBatch} from './batch.ts'
import {openBoss} from './boss.ts'
import {cancelBatch, pauseBatch, resumeBatch} from './control.ts'
import {withFleet} from './open-fleet.ts'
import {type BatchSummary, summarizeBatch} from './status.ts'

export type BatchChange = {kind: 'pause'} | {kind: 'cancel'} | {kind: 'resume'; withFailed: boolean}

export const changeBatch = (
  {serviceId, journal}: ServiceTraits,
  reference: string,
  change: BatchChange,
): Promise<BatchSummary> =>
  withFleet(journal, async ({database}) => {
    const batch = await findBatch(database, serviceId, reference)
    if (change.kind === 'pause') await pauseBatch(database, batch)
    else {
      const boss = await openBoss(database)
      try {
        if (change.kind === 'cancel') await cancelBatch(boss, database, batch)
        else await resumeBatch(boss, database, batch, change)
      } finally {
        await boss.stop({graceful: false})
      }
    }
    return summarizeBatch(await findBatch(database, serviceId, batch.id))
  })
