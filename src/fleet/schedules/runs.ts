// What has become of the slots of schedules: when each was handed out, by which process, what was paid, and what needs a person.
import type {PayoutResult} from '../../payouts/run/result.ts'
import type {BatchRowState, BatchState, RowCounts} from '../batches/batch.ts'
import {type FleetReader, correctCounts, readCounts} from '../batches/report-rows.ts'
import {listWorkers} from '../work/worker-registry.ts'
import {
  type MissedPolicy,
  type Schedule,
  type SkipReason,
  type Sums,
  describePays,
  formatSlot,
  listSchedules,
  noSchedule,
} from './schedule.ts'

type RunState =
  // Handed to the workers; no row has ended yet.
  | 'WAITING'
  | 'RUNNING'
  | 'PAUSED'
  // All rows are paid.
  | 'DONE'
  // Some rows are paid.
  | 'PARTLY_DONE'
  | 'UNKNOWN'
  | 'CANCELLED'
  | 'SKIPPED'
  // The one state of all rows that were not paid.
  | 'STOPPED'
  | 'REJECTED'
  | 'FAILED'
  | 'ENDED_BADLY'

export interface Run {
  schedule: string
  slot: string
  state: RunState
  // When the slot was handed out or skipped, by which process.
  decidedAt: string
  by: string
  endedAt?: string
  batch?: string
  rows?: number
  made?: number
  waiting?: number
  unknown?: number
  failed?: number
  // Of a schedule that pays one payment.
  key?: string
  transaction?: string
  skippedBecause?: SkipReason
  // Why something was not paid.
  reason?: string
  // What a person can do about it.
  next?: string
}

interface RunRecord {
  schedule: string
  kind: 'pay' | 'payouts'
  slot_at: Date
  batch_id: string | null
  skipped_because: SkipReason | null
  decided_at: Date
  decided_by: string
  batch_state: BatchState | null
  ended_at: Date | null
  row_count: number | null
  counts: RowCounts | null
  key: string | null
  result: PayoutResult | null
}

const unpaidStates = ['STOPPED', 'REJECTED', 'FAILED', 'ENDED_BADLY'] as const

const skipWords: Readonly<Record<SkipReason, string>> = {
  MISSED: 'No worker ran when it came, and the policy for missed slots leaves it out',
  PAUSED: 'The schedule was paused',
  DELETED: 'The schedule was deleted before a worker saw it',
}

function chooseState({batch_state, skipped_because, row_count}: RunRecord, counts: RowCounts): RunState {
  const count = (state: BatchRowState) => counts[state] ?? 0
  if (skipped_because) return 'SKIPPED'
  if (count('UNKNOWN') > 0) return 'UNKNOWN'
  if (count('IN_PROGRESS') > 0) return 'RUNNING'
  if (count('WAITING') > 0) {
    if (batch_state === 'PAUSED') return 'PAUSED'
    return count('WAITING') === row_count ? 'WAITING' : 'RUNNING'
  }
  if (count('CREATED') === row_count) return 'DONE'
  if (count('CREATED') > 0) return 'PARTLY_DONE'
  const states = unpaidStates.filter((state) => count(state) > 0)
  if (states.length === 0) return 'CANCELLED'
  return states.length === 1 ? (states[0] ?? 'FAILED') : 'FAILED'
}

const sum = (counts: RowCounts, states: readonly BatchRowState[]) =>
  states.reduce((total, state) => total + (counts[state] ?? 0), 0)

// What is left to a person. A worker settles what is unknown by itself.
function describeNext(batchId: string, state: RunState, counts: RowCounts): string | undefined {
  if (sum(counts, ['STOPPED', 'REJECTED', 'FAILED']) > 0) return `svc payouts resume ${batchId} --failed`
  if (state === 'PAUSED') return `svc payouts resume ${batchId}`
  return sum(counts, ['ENDED_BADLY']) > 0 ? `svc payouts status ${batchId}` : undefined
}

function describeReason({kind, result, skipped_because}: RunRecord, counts: RowCounts): string | undefined {
  if (skipped_because) return skipWords[skipped_because]
  if (kind === 'pay') return result?.error?.message
  const unpaid = sum(counts, unpaidStates)
  return unpaid > 0 ? `${unpaid} ${unpaid === 1 ? 'row was' : 'rows were'} not paid` : undefined
}

function toRun(record: RunRecord): Run {
  const counts = record.counts ?? {}
  const state = chooseState(record, counts)
  const {batch_id: batch, kind, result, key} = record
  const reason = describeReason(record, counts)
  const next = batch === null ? undefined : describeNext(batch, state, counts)
  return {
    schedule: record.schedule,
    slot: formatSlot(record.slot_at),
    state,
    decidedAt: record.decided_at.toISOString(),
    by: record.decided_by,
    ...(record.ended_at && {endedAt: record.ended_at.toISOString()}),
    ...(batch !== null && {
      batch,
      rows: record.row_count ?? 0,
      made: sum(counts, ['CREATED']),
      waiting: sum(counts, ['WAITING', 'IN_PROGRESS']),
      unknown: sum(counts, ['UNKNOWN']),
      failed: sum(counts, unpaidStates),
    }),
    ...(kind === 'pay' && key !== null && {key}),
    ...(kind === 'pay' && result?.transaction !== undefined && {transaction: result.transaction}),
    ...(record.skipped_because && {skippedBecause: record.skipped_because}),
    ...(reason !== undefined && {reason}),
    ...(next !== undefined && {next}),
  }
}

// Only a schedule of one payment shows its row.
const selectRuns = `
  select s.name as schedule, s.kind, u.slot_at, u.batch_id, u.skipped_because, u.decided_at, u.decided_by,
    b.state as batch_state, b.ended_at, b.row_count, r.key, r.result,
    (select jsonb_object_agg(c.state, c.row_count) from svc.batch_counts c
      where c.batch_id = u.batch_id and c.row_count > 0) as counts
  from svc.schedules s join svc.schedule_runs u on u.schedule_id = s.id
  left join svc.batches b on b.id = u.batch_id
  left join svc.batch_rows r on r.batch_id = u.batch_id and r.line = 1 and b.row_count = 1`

export interface RunFilter {
  // Also of a schedule that was deleted.
  name?: string | undefined
  // Those that need a person, or are not at their end.
  onlyOpen?: boolean
  limit: number
}

const isOpenText = `u.batch_id is not null and exists (select from svc.batch_counts c where c.batch_id = u.batch_id
  and c.row_count > 0 and c.state not in ('CREATED', 'CANCELLED'))`

// The newest slot first.
export async function listRuns(fleet: FleetReader, {name, onlyOpen, limit}: RunFilter): Promise<Run[]> {
  const {database, serviceId} = fleet
  const text = `${selectRuns} where s.service_id = $1 and ($2::text is null or s.name = $2)
    ${onlyOpen ? `and ${isOpenText}` : ''} order by u.slot_at desc, s.name limit $3`
  return reportRuns(
    fleet,
    await database.read<RunRecord & Record<string, unknown>>({text}, [serviceId, name ?? null, limit]),
  )
}

// The slots with what the journal knows of their rows.
async function reportRuns(fleet: FleetReader, records: readonly RunRecord[]): Promise<Run[]> {
  // Where every row was made, nothing else can be known.
  const isMade = ({counts, row_count: rows}: RunRecord) => counts?.CREATED === rows
  const ids = records.flatMap((record) => (record.batch_id === null || isMade(record) ? [] : [record.batch_id]))
  const {countsByBatch, corrections} = await readCounts(fleet, ids)
  return records.map((record) => {
    const own = corrections.filter(({batchId}) => batchId === record.batch_id)
    const [correction] = own
    // Of a schedule that pays one payment, the result of the row is shown.
    const result = correction && record.row_count === 1 ? {result: correction.result} : {}
    const counts = countsByBatch.get(record.batch_id ?? '') ?? record.counts ?? {}
    return toRun({...record, ...result, counts: correctCounts(counts, own)})
  })
}

// Like listRuns, but a schedule that never was is an error.
export async function findRuns(fleet: FleetReader, filter: RunFilter): Promise<Run[]> {
  const {database, serviceId} = fleet
  const {name} = filter
  const text = 'select from svc.schedules where service_id = $1 and name = $2 limit 1'
  if (name !== undefined && (await database.read({text}, [serviceId, name])).length === 0) throw noSchedule(name)
  return listRuns(fleet, filter)
}

// The last slot of each schedule, by the id of the schedule.
async function listLastRuns(fleet: FleetReader): Promise<Map<string, Run>> {
  const {database, serviceId} = fleet
  const text = `${selectRuns} where s.service_id = $1 and s.deleted_at is null
    and u.slot_at = (select max(slot_at) from svc.schedule_runs where schedule_id = s.id)`
  const records = await database.read<RunRecord & Record<string, unknown>>({text}, [serviceId])
  return new Map((await reportRuns(fleet, records)).map((run) => [run.schedule, run]))
}

// Slots that were handed out, and whose rows have not all ended.
export const listOpenRuns = async (fleet: FleetReader, name: string): Promise<Run[]> =>
  (await listRuns(fleet, {name, onlyOpen: true, limit: 1000})).filter(({endedAt}) => endedAt === undefined)

// What `svc schedules list` shows of a schedule.
export interface ScheduleSummary {
  name: string
  cron: string
  zone: string
  missed: MissedPolicy
  paused: boolean
  allowDuplicates: boolean
  kind: 'pay' | 'payouts'
  pays: string
  rows: number
  sums: Sums
  key?: string
  file?: string
  // Absent if it is paused, or never comes again.
  nextSlot?: string
  lastRun?: Run
  createdAt: string
  updatedAt: string
}

function summarize(schedule: Schedule, lastRun: Run | undefined): ScheduleSummary {
  const {name, cron, zone, missed, isPaused, allowsDuplicates, kind, rowCount, sums, key, file, nextAt} = schedule
  return {
    name,
    cron,
    zone,
    missed,
    paused: isPaused,
    allowDuplicates: allowsDuplicates,
    kind,
    pays: describePays(schedule),
    rows: rowCount,
    sums,
    ...(key !== undefined && {key}),
    ...(file !== undefined && {file}),
    ...(nextAt && !isPaused && {nextSlot: formatSlot(nextAt)}),
    ...(lastRun && {lastRun}),
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  }
}

export interface ScheduleList {
  schedules: ScheduleSummary[]
  // What a person should know: slots come, and nobody pays them.
  notice?: string | undefined
}

export const noWorkers = 'No worker runs now, and slots are paid only while one does. Start one: svc payouts work'

export async function summarizeSchedules(fleet: FleetReader): Promise<ScheduleList> {
  const {database, serviceId} = fleet
  const [schedules, lastRuns, workers] = await Promise.all([
    listSchedules(database, serviceId),
    listLastRuns(fleet),
    listWorkers(database, serviceId),
  ])
  const hasWork = schedules.some(({isPaused}) => !isPaused)
  return {
    schedules: schedules.map((schedule) => summarize(schedule, lastRuns.get(schedule.name))),
    ...(hasWork && workers.length === 0 && {notice: noWorkers}),
  }
}
