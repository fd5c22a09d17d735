// Opens pg-boss, the queue on PostgreSQL, on the connections of svc. Its tables are in a schema of their own.
import type {Db as IDatabase, PgBoss} from 'pg-boss'
import {SvcError} from '../errors.ts'
import {withJournalDatabase} from '../payments/journal/postgres/open-postgres-journal.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import type {PostgresDatabase, Query, SqlValue} from '../storage/postgres/database.ts'
import {svc} from '../values/text.ts'

export const jobSchema = 'svc_jobs'

// How often a worker looks for jobs of workers that have ended, and how often one of the fleet does it.
const superviseSeconds = 5
const monitorSeconds = 10
// pg-boss warns about longer queues, but a payroll is long by nature.
const queueSizeWarned = 100_000_000

const notInstalled = (cause: unknown) =>
  new SvcError({
    error: 'NOT_INITIALIZED',
    kind: 'usage',
    message: 'The database has no queue of this version of svc',
    hint: `Run ${svc`journal init`} once, with a role that may create schemas; a queue of another version needs that version of svc`,
    cause,
  })

// Runs statements of pg-boss inside a transaction of svc.
const joinTransaction = (query: Query): IDatabase => ({
  executeSql: async (text, values) => ({rows: await query({text}, values as SqlValue[] | undefined)}),
})

const createAdapter = (database: PostgresDatabase): IDatabase => ({
  executeSql: (text, values) => database.runScript(text, values as SqlValue[] | undefined),
})

// A worker, which hears of errors, also looks after the queues; a command that only writes jobs does not.
type OnError = (error: Error) => void

async function createBoss(database: PostgresDatabase, isInstaller: boolean, onError?: OnError): Promise<PgBoss> {
  const pgBoss = await import('pg-boss')
  const boss = new pgBoss.PgBoss({
    db: createAdapter(database),
    schema: jobSchema,
    migrate: isInstaller,
    createSchema: isInstaller,
    supervise: onError !== undefined,
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: monitorSeconds,
    warningQueueSize: queueSizeWarned,
  })
  // Without a listener, an error event would end the process. pg-boss tries again by itself.
  boss.on('error', (error) => onError?.(error))
  return boss
}

export async function openBoss(database: PostgresDatabase, onError?: OnError): Promise<PgBoss> {
  const boss = await createBoss(database, false, onError)
  try {
    return await boss.start()
  } catch (error) {
    if (error instanceof Error && /pg-boss (is not installed|database requires migrations)/.test(error.message)) {
      throw notInstalled(error)
    }
    throw error
  }
}

// For a command that only writes jobs.
export async function withBoss<T>(database: PostgresDatabase, work: (boss: PgBoss) => Promise<T>): Promise<T> {
  const boss = await openBoss(database)
  try {
    return await work(boss)
  } finally {
    await boss.stop({graceful: false})
  }
}

// Of svc's use of it. pg-boss keeps a version of its own, which openBoss() requires.
const queueVersion = 1

// Creates the queue of the fleet, for `svc journal init` alone, never by a worker that happens to start. Returns what was created, or
// would be.
export const initQueue = (address: JournalAddress, {isDryRun}: {isDryRun: boolean}) =>
  withJournalDatabase(address, async (database) => {
    const boss = await createBoss(database, true)
    if (await boss.isInstalled()) return undefined
    if (!isDryRun) {
      await boss.start()
      await boss.stop({graceful: false})
    }
    return {part: 'queue', from: 0, to: queueVersion}
  })

// The rows of batches as jobs of pg-boss. A batch has a queue of its own, so that it can be paused: of one that is paused, only the rows
// that may have been paid are taken.
export interface RowReference {
  batchId: string
  line: number
  // The key of the payment.
  key: string
}

export interface JobData extends RowReference {
  // How often the row was put off.
  tries: number
  // Whether the row may have been paid. It is settled first, and whatever becomes of its batch.
  isUnsettled: boolean
}

export interface RowJob extends JobData {
  id: string
  // How often it was given to a worker before, which then ended or did not answer.
  retryCount: number
  // When the queue last heard that this worker has it.
  touchedMs: number
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

const priorityOfUnsettled = 1

export const getQueue = (batchId: string) => `batch.${batchId}`

export const createQueue = (boss: PgBoss, batchId: string) => boss.createQueue(getQueue(batchId), queueOptions)

const groupByQueue = <T extends RowReference>(rows: readonly T[]) => Map.groupBy(rows, ({batchId}) => getQueue(batchId))

// In the same transaction as what is written about the rows. A row that has a job already gets no second one.
export async function addJobs(
  boss: PgBoss,
  query: Query,
  rows: ReadonlyArray<RowReference & Partial<JobData> & {delayMs?: number}>,
): Promise<void> {
  for (const [queue, own] of groupByQueue(rows)) {
    const jobs = own.map(({batchId, line, key, tries = 0, isUnsettled = false, delayMs = 0}) => ({
      data: {batchId, line, key, tries, isUnsettled} satisfies JobData,
      singletonKey: key,
      priority: isUnsettled ? priorityOfUnsettled : 0,
      ...(delayMs > 0 && {startAfter: `${Math.ceil(delayMs / 1000)} seconds`}),
    }))
    await boss.insert(queue, jobs, {db: joinTransaction(query)})
  }
}

export async function takeJobs(
  boss: PgBoss,
  {id, state}: {id: string; state: string},
  batchSize: number,
): Promise<RowJob[]> {
  const touchedMs = performance.now()
  const minPriority = state === 'PAUSED' ? priorityOfUnsettled : 0
  const jobs = await boss.fetch<JobData>(getQueue(id), {batchSize, minPriority})
  return jobs.map(({id: jobId, data, retryCount}) => ({...data, id: jobId, retryCount, touchedMs}))
}

// Removes the jobs of rows that have ended, whoever has them by now.
export async function endJobs(boss: PgBoss, query: Query, jobs: readonly RowJob[]): Promise<void> {
  for (const [queue, own] of groupByQueue(jobs)) {
    const ids = own.map(({id}) => id)
    await boss.deleteJob(queue, ids, {db: joinTransaction(query)})
  }
}

// Makes rows wait again, each for a while. A job that another worker has got in the meantime is left to it.
export async function putOffJobs(
  boss: PgBoss,
  query: Query,
  jobs: ReadonlyArray<RowJob & {delayMs: number}>,
): Promise<void> {
  for (const [queue, own] of groupByQueue(jobs)) await boss.deleteJob(queue, own, {db: joinTransaction(query)})
  await addJobs(boss, query, jobs)
}

// As pg-boss's index of keys has them.
const replaceText = `delete from ${jobSchema}.job where name = $1 and coalesce(singleton_key, '') = any($2::text[])
  and policy = 'exclusive' and state <= 'active' and priority = 0`

// Gives rows that may have been paid jobs which are taken whatever becomes of their batch. The worker that has the earlier job has
// ended, or still holds the lease of the payment.
export async function replaceJobs(boss: PgBoss, query: Query, rows: readonly RowReference[]): Promise<void> {
  for (const [queue, own] of groupByQueue(rows)) await query({text: replaceText}, [queue, own.map(({key}) => key)])
  const unsettled = rows.map((row) => ({...row, isUnsettled: true}))
  await addJobs(boss, query, unsettled)
}

// Removes the jobs of rows that no worker has taken, unless they may have been paid.
export const removeWaitingJobs = (query: Query, batchId: string) =>
  query({text: `delete from ${jobSchema}.job where name = $1 and state < 'active' and priority = 0`}, [
    getQueue(batchId),
  ])

// How long after it heard of a job the queue certainly has not given it to another worker.
const trustedMs = 2 * touchEveryMs

// Says that these jobs are still being worked on. One of which the queue heard nothing for long may be another worker's by now.
export async function touchJobs(boss: PgBoss, jobs: readonly RowJob[]): Promise<void> {
  const touchedMs = performance.now()
  for (const [queue, own] of groupByQueue(jobs)) {
    await boss.touch(queue, own)
    for (const job of own) if (touchedMs - job.touchedMs < trustedMs) job.touchedMs = touchedMs
  }
}

const ownText = `select from ${jobSchema}.job where name = $1 and id = $2 and state = 'active' and retry_count = $3`

// Whether this worker still has the job. After a silence, such as that of a suspended process, the queue is asked.
export async function hasJob(database: Pick<PostgresDatabase, 'read'>, job: RowJob): Promise<boolean> {
  if (performance.now() - job.touchedMs < trustedMs) return true
  return (await database.read({text: ownText}, [getQueue(job.batchId), job.id, job.retryCount])).length > 0
}
