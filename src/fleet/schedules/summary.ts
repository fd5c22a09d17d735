// What `svc schedules list` shows of a schedule.
import type {FleetDatabase} from '../batches/open-fleet.ts'
import {listWorkers} from '../work/worker-registry.ts'
import {describePays} from './describe-schedule.ts'
import {type Run, listLastRuns} from './runs.ts'
import {type MissedPolicy, type Schedule, type Sums, listSchedules} from './schedule.ts'
import {formatSlot} from './slot-keys.ts'

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

export async function summarizeSchedules({database}: FleetDatabase, serviceId: string): Promise<ScheduleList> {
  const [schedules, lastRuns, workers] = await Promise.all([
    listSchedules(database, serviceId),
    listLastRuns(database, serviceId),
    listWorkers(database, serviceId),
  ])
  const hasWork = schedules.some(({isPaused}) => !isPaused)
  return {
    schedules: schedules.map((schedule) => summarize(schedule, lastRuns.get(schedule.name))),
    ...(hasWork && workers.length === 0 && {notice: noWorkers}),
  }
}
