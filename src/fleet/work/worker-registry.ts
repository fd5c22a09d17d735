// The workers of the fleet, as each of them reports itself.
import {randomUUID} from 'node:crypto'
import os from 'node:os'
import type {PgBoss} from 'pg-boss'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type Batch, countRows, walkRows} from '../batches/batch.ts'
import {type RowReference, addJobs, createQueue, getBatchQueue, getSettleQueue, jobSchema} from '../batches/queue.ts'

export interface WorkerInfo {
  id: string
  host: string
  pid: number
  version: string
  concurrency: number
  startedAt: Date
  seenAt: Date
  inFlight: number
  rowsPerSecond: number
  isStopping: boolean
}

export const reportEveryMs = 5_000
// A worker that has not reported for so long is no longer shown.
const silentSeconds = 30
const keptDays = 7

interface WorkerReport {
  inFlight: number
  rowsPerSecond: number
  isStopping: boolean
  // What has happened since the last report, added to the totals of the fleet.
  counters: Readonly<Record<string, number>>
}

interface WorkerSettings {
  serviceId: string
  version: string
  concurrency: number
}

// Registers with the first report. A report that was lost is made again.
export function registerWorker(database: PostgresDatabase, {serviceId, version, concurrency}: WorkerSettings) {
  const id = randomUUID()
  return {
    id,
    async report({inFlight, rowsPerSecond, isStopping, counters}: WorkerReport): Promise<void> {
      await database.write(
        {
          name: 'report_worker',
          text: `insert into svc.workers as w (id, service_id, host, pid, version, concurrency, in_flight, rows_per_second, is_stopping)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            on conflict (id) do update set seen_at = now(), in_flight = excluded.in_flight,
              rows_per_second = excluded.rows_per_second, is_stopping = excluded.is_stopping`,
        },
        [id, serviceId, os.hostname(), process.pid, version, concurrency, inFlight, rowsPerSecond, isStopping],
        {isRepeatable: true},
      )
      await addToCounters(database, serviceId, counters)
    },
    async leave(): Promise<void> {
      await database.write({text: 'delete from svc.workers where id = $1'}, [id], {isRepeatable: true})
    },
  }
}

async function addToCounters(
  database: PostgresDatabase,
  serviceId: string,
  counters: Readonly<Record<string, number>>,
): Promise<void> {
  const counted = Object.entries(counters).filter(([, count]) => count > 0)
  if (counted.length === 0) return
  // Not repeated after a lost answer: a figure that is counted twice is worse than one that is missing.
  await database
    .write(
      {
        text: `insert into svc.fleet_counters as c (service_id, name, total)
          select $1, name, count::bigint from unnest($2::text[], $3::text[]) as n (name, count) order by name
          on conflict (service_id, name) do update set total = c.total + excluded.total`,
      },
      [serviceId, counted.map(([name]) => name), counted.map(([, count]) => String(count))],
      {},
    )
    .catch(() => {})
}

interface WorkerRecord {
  id: string
  host: string
  pid: number
  version: string
  concurrency: number
  started_at: Date
  seen_at: Date
  in_flight: number
  rows_per_second: number
  is_stopping: boolean
}

export async function listWorkers(database: Pick<PostgresDatabase, 'read'>, serviceId: string): Promise<WorkerInfo[]> {
  const text = `select * from svc.workers where service_id = $1 and seen_at > now() - interval '${silentSeconds} seconds'
    order by started_at, id`
  return (await database.read<WorkerRecord & Record<string, unknown>>({text}, [serviceId])).map((record) => ({
    id: record.id,
    host: record.host,
    pid: record.pid,
    version: record.version,
    concurrency: record.concurrency,
    startedAt: record.started_at,
    seenAt: record.seen_at,
    inFlight: record.in_flight,
    rowsPerSecond: record.rows_per_second,
    isStopping: record.is_stopping,
  }))
}

// Workers that were killed never leave by themselves.
export async function forgetOldWorkers(database: PostgresDatabase): Promise<void> {
  const text = `delete from svc.workers where seen_at < now() - interval '${keptDays} days'`
  await database.write({text}, [], {isRepeatable: true})
}

// Repairs what others left: rows that may have been paid in a batch that is paused or cancelled, rows without a job, and queues of
// batches that have ended. Every worker does it now and then; doing it twice changes nothing.
const rowsMax = 500

const keptMinutes = 10

// A worker may have ended after it armed a payment of a batch that was then paused or cancelled. The journal knows.
const unsettled = `p.state in ('ARMED', 'UNKNOWN') and b.state in ('PAUSED', 'CANCELLED') and r.state in ('WAITING', 'CANCELLED')`
// Or it was suspended while others wrote that the row is cancelled or failed, made the payment, and ended before it wrote that.
const madeLater = `p.state = 'CREATED' and r.state not in ('WAITING', 'CREATED') and r.state not in ('UNKNOWN', 'ENDED_BADLY')
  and (b.ended_at is null or b.ended_at > now() - interval '${keptMinutes} minutes')`

const createMarkText = (condition: string) => `
  with unsettled as (
    select r.batch_id, r.line, r.state from svc.payments p
    join svc.batch_rows r on r.key = p.key join svc.batches b on b.id = r.batch_id and b.service_id = p.service_id
    where p.service_id = $1 and ${condition}
    limit ${rowsMax} for update of r
  ), marked as (
    update svc.batch_rows r set state = 'UNKNOWN', updated_at = now() from unsettled u
    where r.batch_id = u.batch_id and r.line = u.line returning r.batch_id, r.line, r.key, u.state as was
  ), reopened as (
    update svc.batches b set ended_at = null where b.id in (select batch_id from marked)
  ), difference as (
    select batch_id, state, sum(change)::integer as change from (
      select batch_id, was as state, -1 as change from marked union all select batch_id, 'UNKNOWN', 1 from marked
    ) each group by batch_id, state order by batch_id, state
  ), counted as (
    insert into svc.batch_counts as c (batch_id, state, row_count) select batch_id, state, change from difference
    on conflict (batch_id, state) do update set row_count = c.row_count + excluded.row_count
  )
  select batch_id as "batchId", line, key from marked`

export async function markUnsettledRows(boss: PgBoss, database: PostgresDatabase, serviceId: string): Promise<void> {
  const queue = getSettleQueue(serviceId)
  await database.transact(
    async (query) => {
      for (const condition of [unsettled, madeLater]) {
        const rows = await query<RowReference & Record<string, unknown>>({text: createMarkText(condition)}, [serviceId])
        await addJobs(boss, query, queue, rows)
      }
    },
    {isRepeatable: true},
  )
}

// An unknown row always has a job. One that has it already gets no second one.
async function addSettleJobs(boss: PgBoss, database: PostgresDatabase, batch: Batch): Promise<void> {
  if (countRows(batch, ['UNKNOWN']) === 0) return
  const queue = getSettleQueue(batch.serviceId)
  for await (const rows of walkRows(database, batch.id, `r.state = 'UNKNOWN'`)) {
    await database.transact((query) => addJobs(boss, query, queue, rows), {isRepeatable: true})
  }
}

// The rows wait, but their queue is empty: its jobs were lost, such as by a backup that was restored in part.
async function addLostJobs(boss: PgBoss, database: PostgresDatabase, batches: readonly Batch[]): Promise<void> {
  const waiting = batches.filter((batch) => batch.state !== 'PAUSED' && countRows(batch, ['WAITING']) > 0)
  if (waiting.length === 0) return
  const text = `select b.id from unnest($1::text[], $2::text[]) as b (id, queue)
    where not exists (select from ${jobSchema}.job j where j.name = b.queue and j.state <= 'active')`
  const ids = waiting.map(({id}) => id)
  for (const {id} of await database.read<{id: string}>({text}, [ids, ids.map(getBatchQueue)])) {
    const queue = getBatchQueue(id)
    await createQueue(boss, queue)
    for await (const rows of walkRows(database, id, `r.state = 'WAITING'`)) {
      await database.transact((query) => addJobs(boss, query, queue, rows), {isRepeatable: true})
    }
  }
}

async function removeEndedQueues(boss: PgBoss, database: PostgresDatabase, serviceId: string): Promise<void> {
  const text = `select b.id from svc.batches b join ${jobSchema}.queue q on q.name = 'batch.' || b.id
    where b.service_id = $1 and b.ended_at < now() - interval '${keptMinutes} minutes' limit 20`
  const ended = await database.read<{id: string}>({text}, [serviceId])
  for (const {id} of ended) await boss.deleteQueue(getBatchQueue(id))
}

export async function sweep(
  boss: PgBoss,
  database: PostgresDatabase,
  serviceId: string,
  batches: readonly Batch[],
): Promise<void> {
  await markUnsettledRows(boss, database, serviceId)
  for (const batch of batches) await addSettleJobs(boss, database, batch)
  await addLostJobs(boss, database, batches)
  await removeEndedQueues(boss, database, serviceId)
}
