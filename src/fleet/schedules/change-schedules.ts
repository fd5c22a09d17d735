// Plans and applies changes of schedules, for `svc schedules apply` and `delete`.
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {openBoss} from '../batches/queue.ts'
import type {FleetDatabase} from '../batches/open-fleet.ts'
import type {FleetReader} from '../batches/report-rows.ts'
import {listWorkers} from '../work/worker-registry.ts'
import {type AppliedRow, applyPlan} from './apply-plan.ts'
import {type PlanStep, planChanges, planDeletion} from './plan.ts'
import {listOpenRuns, noWorkers} from './runs.ts'
import type {WantedSchedule} from './schedule-rows.ts'
import {listSchedules, noSchedule, readDatabaseTime} from './schedule.ts'

export const planFile = async (
  {database}: FleetDatabase,
  serviceId: string,
  wanted: readonly WantedSchedule[],
  prune: boolean,
): Promise<PlanStep[]> => planChanges(database, wanted, {serviceId, prune, now: await readDatabaseTime(database)})

export async function planNamedDeletion(
  {database}: FleetDatabase,
  serviceId: string,
  name: string,
): Promise<PlanStep[]> {
  const existing = (await listSchedules(database, serviceId)).find((schedule) => schedule.name === name)
  if (!existing) throw noSchedule(name)
  return [await planDeletion(database, existing)]
}

const slotsNamedMax = 3

// Slots that were handed out are paid as they were, whatever becomes of their schedule.
export async function listOpenSlotNotices(fleet: FleetReader, steps: readonly PlanStep[]): Promise<string[]> {
  const notices: string[] = []
  for (const {action, name} of steps) {
    if (action !== 'delete' && action !== 'update') continue
    const open = await listOpenRuns(fleet, name)
    for (const {slot, batch = ''} of open.slice(0, slotsNamedMax)) {
      notices.push(
        `The slot ${slot} of ${name} is under way and is finished as it was; to stop it: svc payouts cancel ${batch}`,
      )
    }
    if (open.length > slotsNamedMax) notices.push(`… and ${open.length - slotsNamedMax} more slots of ${name}`)
  }
  return notices
}

export async function applySteps(
  {database}: FleetDatabase,
  serviceId: string,
  steps: readonly PlanStep[],
  // The time up to which slots have come; that of the database without it.
  readTime?: () => Promise<Date>,
): Promise<AppliedRow[]> {
  const boss = await openBoss(database)
  try {
    return await applyPlan({boss, database, serviceId, readTime}, steps)
  } finally {
    await boss.stop({graceful: false})
  }
}

// Undefined if somebody pays the slots.
export async function describeLackOfWorkers(
  {database}: {database: PostgresDatabase},
  serviceId: string,
): Promise<string | undefined> {
  return (await listWorkers(database, serviceId)).length === 0 ? noWorkers : undefined
}
