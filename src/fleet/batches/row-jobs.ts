// The rows of batches as jobs of pg-boss. A batch has a queue of its own, so that it can be paused; rows whose outcome is unknown
// are in one queue for all batches, since they are settled whatever becomes of their batch.
import {createHash} from 'node:crypto'
import type {Job, PgBoss} from 'pg-boss'
import type {Query} from '../../storage/postgres/database.ts'
import {joinTransaction} from './boss.ts'

export interface RowReference {
  batchId: string
  line: number
  // The key of the payment.
  key: string
}

export interface RowJob extends RowReference {
  id: string
  queue: string
  // How often it was given to a worker before, which then ended or did not answer.
  retryCount: number
}

// A job whose worker has been silent for so long is given to another one.
const heartbeatSeconds = 20
export const touchEveryMs = 5_000
const daySeconds = 86_400
const neverSeconds = 3650 * daySeconds

// At most one job per key waits or is worked on. A job is never given up: the row says when it has ended.
const queueOptions = {
  policy: 'exclusive',
  heartbeatSeconds,
  expireInSeconds: daySeconds,
  retentionSeconds: neverSeconds,
  retryLimit: 1_000_000,
  retryDelay: 0,
} as const

export const getBatchQueue = (batchId: string) => `batch.${batchId}`

// A queue's name has few characters, and the id of a service may have any.
export const getSettleQueue = (serviceId: string) =>
  `settle.${createHash('sha256').update(serviceId).digest('hex').slice(0, 16)}`

export const createQueue = (boss: PgBoss, queue: string) => boss.createQueue(queue, queueOptions)

// In the same transaction as what is written about the rows. A row that has a job already gets no second one.
export async function addJobs(
  boss: PgBoss,
  query: Query,
  queue: string,
  rows: ReadonlyArray<RowReference & {delayMs?: number}>,
): Promise<void> {
  if (rows.length === 0) return
  const jobs = rows.map(({batchId, line, key, delayMs = 0}) => ({
    data: {batchId, line, key},
    singletonKey: key,
    ...(delayMs > 0 && {startAfter: `${Math.ceil(delayMs / 1000)} seconds`}),
  }))
  await boss.insert(queue, jobs, {db: joinTransaction(query)})
}

export async function takeJobs(boss: PgBoss, queue: string, count: number): Promise<RowJob[]> {
  const jobs: Array<Job<RowReference>> = await boss.fetch<RowReference>(queue, {batchSize: count})
  return jobs.map(({id, data, retryCount}) => ({...data, id, queue, retryCount}))
}

const groupByQueue = (jobs: readonly RowJob[]) => Map.groupBy(jobs, ({queue}) => queue)

// Removes jobs that are done. One that another worker has got in the meantime is left to it.
export async function removeJobs(boss: PgBoss, query: Query, jobs: readonly RowJob[]): Promise<void> {
  for (const [queue, own] of groupByQueue(jobs)) await boss.deleteJob(queue, own, {db: joinTransaction(query)})
}

// Says that these jobs are still being worked on.
export async function touchJobs(boss: PgBoss, jobs: readonly RowJob[]): Promise<void> {
  for (const [queue, own] of groupByQueue(jobs)) await boss.touch(queue, own)
}
