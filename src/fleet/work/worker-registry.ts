// The workers of the fleet, as each of them reports itself.
import {randomUUID} from 'node:crypto'
import os from 'node:os'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'

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

export interface WorkerReport {
  inFlight: number
  rowsPerSecond: number
  isStopping: boolean
  // What has happened since the last report, added to the totals of the fleet.
  counters: Readonly<Record<string, number>>
}

export interface WorkerSettings {
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
