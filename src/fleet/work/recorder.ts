// Writes what has become of rows to the database, many at a time, together with what becomes of their jobs.
import {setTimeout as sleep} from 'node:timers/promises'
import type {PgBoss} from 'pg-boss'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type RowChange, recordChanges} from '../batches/batch-rows.ts'
import {type RowJob, addJobs, getBatchQueue, getSettleQueue, removeJobs} from '../batches/row-jobs.ts'

interface RowRecord {
  job: RowJob
  // Absent if nothing happened to the row.
  change?: RowChange
  // When the row is tried again.
  delayMs?: number | undefined
}

const flushDelayMs = 40
const recordsMax = 200
const retryMs = 1_000

export interface Recorder {
  // Resolves when it is written. It waits for a database that is away.
  add(record: RowRecord): Promise<void>
  // Gives up what could not be written; the jobs come back by themselves.
  close(): void
}

interface Pending {
  record: RowRecord
  resolve: () => void
}

export function createRecorder(
  boss: PgBoss,
  database: PostgresDatabase,
  serviceId: string,
  onError: (error: unknown) => void,
): Recorder {
  let pending: Pending[] = []
  let flushing: Promise<void> | undefined
  const state = {isClosed: false}
  const settleQueue = getSettleQueue(serviceId)

  // Unknown rows are in the queue for them; others go back to the queue of their batch. A row that was not tried stays where it was.
  function chooseQueue({change, job}: RowRecord): string {
    if (!change) return job.queue
    return change.state === 'UNKNOWN' ? settleQueue : getBatchQueue(job.batchId)
  }

  async function write(records: readonly RowRecord[]): Promise<void> {
    await database.transact(
      async (query) => {
        await removeJobs(
          boss,
          query,
          records.map(({job}) => job),
        )
        await recordChanges(
          query,
          records.flatMap(({change}) => change ?? []),
        )
        const again = records.filter(({delayMs}) => delayMs !== undefined)
        for (const [queue, own] of Map.groupBy(again, chooseQueue)) {
          await addJobs(
            boss,
            query,
            queue,
            own.map(({job, delayMs}) => ({...job, delayMs: delayMs ?? 0})),
          )
        }
      },
      {isRepeatable: true},
    )
  }

  async function flush(): Promise<void> {
    await sleep(flushDelayMs)
    while (pending.length > 0 && !state.isClosed) {
      const batch = pending.slice(0, recordsMax)
      try {
        await write(batch.map(({record}) => record))
        pending = pending.slice(batch.length)
        for (const {resolve} of batch) resolve()
      } catch (error) {
        onError(error)
        await sleep(retryMs)
      }
    }
    flushing = undefined
  }

  return {
    add(record) {
      return new Promise((resolve) => {
        pending.push({record, resolve})
        flushing ??= flush()
      })
    },
    close() {
      state.isClosed = true
      for (const {resolve} of pending) resolve()
    },
  }
}
