// Pauses, resumes and cancels a batch. Whatever is decided, a row that may have been paid is settled.
import type {PgBoss} from 'pg-boss'
import {SvcError} from '../../errors.ts'
import {type BatchRowState, retriedStates} from '../../payouts/run/row-states.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {PostgresDatabase, Query} from '../../storage/postgres/database.ts'
import {markUnsettledRows} from '../work/worker-registry.ts'
import {type Batch, addToCounts, countRows, endBatchIfDone, findBatch} from './batch.ts'
import {type FleetReader, reportBatch, withFleetReader} from './report-rows.ts'
import {type RowReference, addJobs, createQueue, getBatchQueue, jobSchema, openBoss} from './queue.ts'
import {summarizeBatch} from './status.ts'
import type {BatchSummary} from './batch-view.ts'

const wrongState = (batch: Batch, what: string, hint: string) =>
  new SvcError({
    error: 'BATCH_STATE',
    kind: 'usage',
    message: `The batch ${batch.id} is ${batch.state}, so it cannot be ${what}`,
    hint,
  })

const setState = (query: Query, {id}: Batch, state: Batch['state']) =>
  query({text: `update svc.batches set state = $2 where id = $1`}, [id, state])

export async function pauseBatch(database: PostgresDatabase, batch: Batch): Promise<void> {
  if (batch.state === 'PAUSED') return
  if (batch.state !== 'ACTIVE') throw wrongState(batch, 'paused', 'Nothing of it is left to pay')
  await database.transact((query) => setState(query, batch, 'PAUSED'), {isRepeatable: true})
}

const pageSize = 1000

// Changes the state of rows, some at a time, and returns those that were changed.
async function changeStates(
  query: Query,
  {id}: Batch,
  from: readonly BatchRowState[],
  to: BatchRowState,
  exceptKeys: readonly string[] = [],
): Promise<RowReference[]> {
  const changed: RowReference[] = []
  const text = `
    with chosen as (select line, state from svc.batch_rows where batch_id = $1 and state = any($2::text[]) and key <> all($4::text[])
      order by line limit ${pageSize} for update)
    update svc.batch_rows r set state = $3, updated_at = now() from chosen c
    where r.batch_id = $1 and r.line = c.line returning r.line, r.key, c.state as was`
  for (;;) {
    const rows = await query<{line: number; key: string; was: BatchRowState}>({text}, [id, from, to, exceptKeys])
    for (const [state, own] of Map.groupBy(rows, ({was}) => was)) await addToCounts(query, id, {[state]: -own.length})
    if (rows.length > 0) await addToCounts(query, id, {[to]: rows.length})
    changed.push(...rows.map(({line, key}) => ({batchId: id, line, key})))
    if (rows.length < pageSize) return changed
  }
}

async function retryFailed(boss: PgBoss, query: Query, batch: Batch): Promise<number> {
  const waiting = await changeStates(query, batch, retriedStates, 'WAITING')
  for (let start = 0; start < waiting.length; start += pageSize) {
    await addJobs(boss, query, getBatchQueue(batch.id), waiting.slice(start, start + pageSize))
  }
  return waiting.length
}

// A batch that is done stays as it is if no row of it is tried again.
const resumeText = `update svc.batches set state = 'ACTIVE', ended_at = case when $2::boolean then null else ended_at end
  where id = $1 and (state <> 'DONE' or $2::boolean)`

// Rows that were stopped, rejected or failed are tried again with `withFailed`.
async function resumeBatch(
  boss: PgBoss,
  {database}: FleetReader,
  batch: Batch,
  {withFailed}: {withFailed: boolean},
): Promise<void> {
  if (batch.state === 'CANCELLED') throw wrongState(batch, 'resumed', 'Submit the file again')
  if (batch.state === 'DONE' && !withFailed) {
    const hint = countRows(batch, retriedStates) > 0 ? 'Try its failed rows again with --failed' : 'All of it is paid'
    throw wrongState(batch, 'resumed', hint)
  }
  await createQueue(boss, getBatchQueue(batch.id))
  await database.transact(
    async (query) => {
      const retried = withFailed ? await retryFailed(boss, query, batch) : 0
      await query({text: resumeText}, [batch.id, retried > 0])
      // Another command may have been quicker, and nothing is left to try.
      await endBatchIfDone(query, batch.id)
    },
    {isRepeatable: true},
  )
}

// Rows that a worker has taken stay as they are: it may be paying them. It records what comes of them, or another worker does.
export async function cancelBatch(boss: PgBoss, database: PostgresDatabase, batch: Batch): Promise<void> {
  if (batch.state === 'CANCELLED') return
  if (batch.state === 'DONE') throw wrongState(batch, 'cancelled', 'All of its rows have ended')
  await database.transact((query) => setState(query, batch, 'CANCELLED'), {isRepeatable: true})
  await markUnsettledRows(boss, database, batch.serviceId)
  await database.transact(
    async (query) => {
      const taken = await query<{key: string}>({text: takenText}, [getBatchQueue(batch.id)])
      const keys = taken.map(({key}) => key)
      await changeStates(query, batch, ['WAITING'], 'CANCELLED', keys)
      await query({text: untakenText}, [getBatchQueue(batch.id), keys])
      await endBatchIfDone(query, batch.id)
    },
    {isRepeatable: true},
  )
}

// A worker that takes a row from now on sees that the batch is cancelled.
const takenText = `select singleton_key as key from ${jobSchema}.job where name = $1 and state in ('active', 'retry')`
const untakenText = `delete from ${jobSchema}.job where name = $1 and state = 'created' and singleton_key <> all($2::text[])`

// Changes a batch that a person names, for `svc payouts pause`, `resume` and `cancel`.
export type BatchChange = {kind: 'pause'} | {kind: 'cancel'} | {kind: 'resume'; withFailed: boolean}

export const changeBatch = (traits: ServiceTraits, reference: string, change: BatchChange): Promise<BatchSummary> =>
  withFleetReader(traits, async (fleet) => {
    const {database, serviceId} = fleet
    const batch = await findBatch(database, serviceId, reference)
    if (change.kind === 'pause') await pauseBatch(database, batch)
    else {
      const boss = await openBoss(database)
      try {
        if (change.kind === 'cancel') await cancelBatch(boss, database, batch)
        else await resumeBatch(boss, fleet, batch, change)
      } finally {
        await boss.stop({graceful: false})
      }
    }
    return summarizeBatch(await reportBatch(fleet, await findBatch(database, serviceId, batch.id)))
  })
