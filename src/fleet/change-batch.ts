// Pauses, resumes and cancels a batch. Whatever is decided, a row that may have been paid is settled.
import {SvcError} from '../errors.ts'
import type {ServiceTraits} from '../profiles/service.ts'
import type {PostgresDatabase, Query} from '../storage/postgres/database.ts'
import {
  type Batch,
  type BatchSummary,
  changeLocked,
  findBatch,
  forgetFailures,
  readBatch,
  summarizeBatch,
} from './batches.ts'
import {withFleet} from './open-fleet.ts'
import {addJobs, createQueue, removeWaitingJobs, withBoss} from './queue.ts'
import {finishBatch, settleUnsettled} from './sweep.ts'

export type BatchChange = 'pause' | 'resume' | 'resume failed' | 'cancel'

const wrongState = ({id, state}: Batch, what: string, hint: string) =>
  new SvcError({
    error: 'BATCH_STATE',
    kind: 'usage',
    message: `The batch ${id} is ${state}, so it cannot be ${what}`,
    hint,
  })

// With the batch as it is once it is locked.
const changeFound = <T>(
  database: PostgresDatabase,
  {id, serviceId}: Batch,
  change: (query: Query, batch: Batch) => Promise<T>,
): Promise<T> =>
  changeLocked(database, id, async (query) => change(query, await findBatch({read: query}, serviceId, id)))

const setState = (query: Query, {id}: Batch, state: Batch['state'], refusal?: string) =>
  query({text: 'update svc.batches set state = $2, refusal = $3 where id = $1'}, [id, state, refusal ?? null])

// With the code of what refuses it, if no person pauses it.
export const pauseBatch = (database: PostgresDatabase, batch: Batch, refusal?: string) =>
  changeFound(database, batch, async (query, found) => {
    const isEnded = found.state === 'CANCELLED' || found.state === 'DONE'
    if (isEnded) throw wrongState(found, 'paused', 'Nothing of it is left to pay')
    await setState(query, found, 'PAUSED', refusal)
  })

// With `withFailed`, rows that were stopped, rejected or failed are tried again. A batch that is done and has none stays as it is.
const resumeBatch = (database: PostgresDatabase, batch: Batch, withFailed: boolean) =>
  withBoss(database, async (boss) => {
    await createQueue(boss, batch.id)
    await changeFound(database, batch, async (query, found) => {
      const {id, state} = found
      if (state === 'CANCELLED') throw wrongState(found, 'resumed', 'Submit the file again')
      if (state === 'DONE' && !withFailed) {
        throw wrongState(
          found,
          'resumed',
          'All of its rows have ended; those that failed are tried again with --failed',
        )
      }
      const retried = withFailed ? await forgetFailures(query, id) : []
      if (state === 'DONE' && retried.length === 0) return
      await addJobs(boss, query, retried)
      await query({text: `update svc.batches set state = 'ACTIVE', refusal = null, ended_at = null where id = $1`}, [
        id,
      ])
    })
  })

// Rows that a worker has taken go on: it may be paying them. A worker that takes a row from now on sees that the batch is cancelled.
export const cancelBatch = (database: PostgresDatabase, batch: Batch) =>
  withBoss(database, async (boss) => {
    await changeFound(database, batch, async (query, found) => {
      if (found.state === 'DONE') throw wrongState(found, 'cancelled', 'All of its rows have ended')
      await setState(query, found, 'CANCELLED')
      await removeWaitingJobs(query, found.id)
    })
    await finishBatch(boss, database, batch.id)
    await settleUnsettled(boss, database, batch.serviceId)
  })

// Changes a batch that a person names.
export const changeBatch = (traits: ServiceTraits, reference: string, change: BatchChange): Promise<BatchSummary> =>
  withFleet(traits.journal, async (database) => {
    const batch = await findBatch(database, traits.serviceId, reference)
    if (change === 'pause') await pauseBatch(database, batch)
    else if (change === 'cancel') await cancelBatch(database, batch)
    else await resumeBatch(database, batch, change === 'resume failed')
    return summarizeBatch(await readBatch(database, batch))
  })
