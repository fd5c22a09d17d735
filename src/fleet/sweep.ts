// Brings batches to their end, and repairs what workers left that were killed. Every worker does it; doing it twice changes nothing.
import type {PgBoss} from 'pg-boss'
import {toCondition} from '../payments/journal/tables.ts'
import {unsettledStates} from '../payments/protocol/payment.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {type OpenBatch, changeLocked, listOpenRows, listWork, reopenBatches} from './batches.ts'
import {type RowReference, addJobs, createQueue, jobSchema, replaceJobs} from './queue.ts'

const rowsMax = 500
// How long the queue of a batch is kept after its end.
const keptMinutes = 10

// A worker may have ended after it armed a payment of a batch that was then paused or cancelled, where nobody takes its job.
const unsettledText = `
  select r.batch_id as "batchId", r.line, r.key from svc.payments p
  join svc.batch_rows r on r.key = p.key and r.content_digest = p.content_digest
  join svc.batches b on b.id = r.batch_id and b.service_id = p.service_id
  where p.service_id = $1 and p.${toCondition(unsettledStates)} and (b.state <> 'ACTIVE' or b.ended_at is not null)
  limit ${rowsMax}`

export async function settleUnsettled(boss: PgBoss, database: PostgresDatabase, serviceId: string): Promise<void> {
  const rows = await database.read<RowReference & Record<string, unknown>>({text: unsettledText}, [serviceId])
  if (rows.length === 0) return
  for (const batchId of new Set(rows.map((row) => row.batchId))) await createQueue(boss, batchId)
  await database.transact(
    async (query) => {
      await reopenBatches(query, rows)
      await replaceJobs(boss, query, rows)
    },
    {isRepeatable: true},
  )
}

// A batch without jobs has ended, unless rows of it are still open: then their jobs were lost, such as by a backup that was restored
// in part.
export async function finishBatch(boss: PgBoss, database: PostgresDatabase, batchId: string): Promise<void> {
  await createQueue(boss, batchId)
  await changeLocked(database, batchId, async (query) => {
    // Of the workers that see that nothing is left, one ends the batch.
    const [batch] = await query({text: 'select id from svc.batches where id = $1 and ended_at is null'}, [batchId])
    if (!batch) return
    const open = await listOpenRows(query, batchId)
    if (open.length > 0) return addJobs(boss, query, open)
    await query({text: 'update svc.batches set ended_at = now() where id = $1'}, [batchId])
  })
}

// Returns the batches that are open then, and adds to `seen` also those that it has ended.
export async function finishBatches(
  boss: PgBoss,
  database: PostgresDatabase,
  serviceId: string,
  seen: Set<string>,
): Promise<OpenBatch[]> {
  const batches = await listWork(database, serviceId)
  for (const {id} of batches) seen.add(id)
  const finished = batches.filter(({hasJobs}) => !hasJobs)
  for (const {id} of finished) await finishBatch(boss, database, id)
  return finished.length === 0 ? batches : listWork(database, serviceId)
}

// Also the queue of a batch that was never stored, because `svc payouts submit` was killed just before.
export async function removeEndedQueues(boss: PgBoss, database: PostgresDatabase): Promise<void> {
  const text = `select q.name from ${jobSchema}.queue q left join svc.batches b on q.name = 'batch.' || b.id
    where q.name like 'batch.%' and (b.ended_at < now() - interval '${keptMinutes} minutes'
      or (b.id is null and q.created_on < now() - interval '1 day')) limit 20`
  for (const {name} of await database.read<{name: string}>({text}, [])) await boss.deleteQueue(name)
}
