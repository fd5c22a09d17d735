// Opens pg-boss, the queue on PostgreSQL, on the connections of svc. Its tables are in a schema of their own.
import {createHash} from 'node:crypto'
import {setTimeout as sleep} from 'node:timers/promises'
import type {Db as IDatabase, Job, PgBoss} from 'pg-boss'
import {SvcError} from '../errors.ts'
import {describePostgresFailure} from '../payments/journal/postgres/failure.ts'
import {openJournalDatabase} from '../payments/journal/postgres/open-postgres-journal.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import type {PostgresDatabase, Query, SqlValue} from '../storage/postgres/database.ts'
import {toPostgresError} from '../storage/postgres/postgres-error.ts'

export const jobSchema = 'svc_jobs'

// How often a worker looks for jobs of workers that have ended, and how often one of the fleet does it.
const superviseSeconds = 5
const monitorSeconds = 10
// pg-boss warns about longer queues, but a payroll is long by nature.
const queueSizeWarned = 100_000_000

export interface BossOptions {
  // Whether this process looks after the queues: a worker does, a command that only writes jobs does not.
  isSupervisor?: boolean
  // Called with what pg-boss could not do. It tries again by itself.
  onError?: (error: Error) => void
}

const notInstalled = (cause: unknown) =>
  new SvcError({
    error: 'NOT_INITIALIZED',
    kind: 'usage',
    message: 'The database has no queue of this version of svc',
    hint: 'Run `svc journal init` once, with a role that may create schemas',
    cause,
  })

// Runs statements of pg-boss inside a transaction of svc.
const joinTransaction = (query: Query): IDatabase => ({
  executeSql: async (text, values) => ({rows: await query({text}, values as SqlValue[] | undefined)}),
})

const createAdapter = (database: PostgresDatabase): IDatabase => ({
  executeSql: (text, values) => database.runScript(text, values as SqlValue[] | undefined),
})

async function createBoss(database: PostgresDatabase, options: BossOptions, isInstaller: boolean): Promise<PgBoss> {
  const pgBoss = await import('pg-boss')
  const boss = new pgBoss.PgBoss({
    db: createAdapter(database),
    schema: jobSchema,
    migrate: isInstaller,
    createSchema: isInstaller,
    supervise: options.isSupervisor ?? false,
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: monitorSeconds,
    warningQueueSize: queueSizeWarned,
  })
  // Without a listener, an error event would end the process.
  boss.on('error', (error) => options.onError?.(error))
  return boss
}

export async function openBoss(database: PostgresDatabase, options: BossOptions = {}): Promise<PgBoss> {
  const boss = await createBoss(database, options, false)
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

// pg-boss builds large indexes after a migration, one step at a time.
const buildWaitMs = 60_000
const buildPollMs = 200

const versionPattern = /insert into \S*version\(version\) values \('(\d+)'\)/i

export interface QueueChange {
  part: string
  from: number
  to: number
}

async function findChange(boss: PgBoss): Promise<QueueChange | undefined> {
  const {getConstructionPlans} = await import('pg-boss')
  const to = Number(versionPattern.exec(getConstructionPlans(jobSchema))?.[1])
  const from = (await boss.isInstalled()) ? ((await boss.schemaVersion()) ?? 0) : 0
  return from < to ? {part: 'queue', from, to} : undefined
}

// Creates or migrates the queue of the fleet, for `svc journal init` alone, never by a worker that happens to start. Returns what was
// changed, or would be.
export async function initQueue(
  address: JournalAddress,
  {isDryRun}: {isDryRun: boolean},
): Promise<QueueChange | undefined> {
  const database = openJournalDatabase(address)
  try {
    const boss = await createBoss(database, {}, true)
    const change = await findChange(boss)
    if (isDryRun || !change) return change
    await boss.start()
    const endsAt = performance.now() + buildWaitMs
    while ((await isBuilding(boss)) && performance.now() < endsAt) await sleep(buildPollMs)
    await boss.stop({graceful: false})
    return change
  } catch (error) {
    throw describePostgresFailure(address.text, toPostgresError(error, {isConnected: true}) ?? error)
  } finally {
    await database.close()
  }
}

const isBuilding = async (boss: PgBoss) =>
  (await boss.getBamStatus()).some(({status, count}) => count > 0 && (status === 'pending' || status === 'in_progress'))

// The rows of batches as jobs of pg-boss. A batch has a queue of its own, so that it can be paused; rows whose outcome is unknown
// are in one queue for all batches, since they are settled whatever becomes of their batch.
export interface RowReference {
  batchId: string
  line: number
  // The key of the payment.
  key: string
}

export interface RowJob extends RowReference {
  id: string
  // How often the row was put off.
  tries: number
  queue: string
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
  rows: ReadonlyArray<RowReference & {delayMs?: number | undefined; tries?: number}>,
): Promise<void> {
  if (rows.length === 0) return
  const jobs = rows.map(({batchId, line, key, delayMs = 0, tries = 0}) => ({
    data: {batchId, line, key, tries},
    singletonKey: key,
    ...(delayMs > 0 && {startAfter: `${Math.ceil(delayMs / 1000)} seconds`}),
  }))
  await boss.insert(queue, jobs, {db: joinTransaction(query)})
}

export async function takeJobs(boss: PgBoss, queue: string, count: number): Promise<RowJob[]> {
  const touchedMs = performance.now()
  type Data = RowReference & {tries: number}
  const jobs: Array<Job<Data>> = await boss.fetch<Data>(queue, {batchSize: count})
  return jobs.map(({id, data, retryCount}) => ({...data, id, queue, retryCount, touchedMs}))
}

const groupByQueue = (jobs: readonly RowJob[]) => Map.groupBy(jobs, ({queue}) => queue)

// Removes jobs of rows that are tried again. One that another worker has got in the meantime is left to it.
export async function removeJobs(boss: PgBoss, query: Query, jobs: readonly RowJob[]): Promise<void> {
  for (const [queue, own] of groupByQueue(jobs)) await boss.deleteJob(queue, own, {db: joinTransaction(query)})
}

const endText = `delete from ${jobSchema}.job where name = any($1::text[]) and singleton_key = any($2::text[])`

// Removes all jobs of rows that have ended, whoever has them.
export async function endJobs(query: Query, queue: string, jobs: readonly RowJob[]): Promise<void> {
  for (const [batchId, own] of Map.groupBy(jobs, (job) => job.batchId)) {
    await query({name: 'end_jobs', text: endText}, [[queue, getBatchQueue(batchId)], own.map(({key}) => key)])
  }
}

// Removes the jobs of rows that no worker has taken.
export const removeWaitingJobs = (query: Query, batchId: string) =>
  query({text: `delete from ${jobSchema}.job where name = $1 and state < 'active'`}, [getBatchQueue(batchId)])

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
  return (await database.read({text: ownText}, [job.queue, job.id, job.retryCount])).length > 0
}
