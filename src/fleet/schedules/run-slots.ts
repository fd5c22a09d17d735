// Hands the slots that have come to the workers: each one becomes a batch, in the transaction that records the slot. Any number of
// processes may do it at the same time; each slot is recorded once.
import {createHash} from 'node:crypto'
import os from 'node:os'
import type {PgBoss} from 'pg-boss'
import type {PostgresDatabase, Query} from '../../storage/postgres/database.ts'
import {addToCounts, insertRows} from '../batches/batch.ts'
import {addJobs, createQueue, getBatchQueue, getSettleQueue} from '../batches/queue.ts'
import {
  type Schedule,
  type SkipReason,
  type SlotDecision,
  chooseSlots,
  deriveBatchId,
  deriveKey,
  digestSlot,
  getNextSlot,
  listDueSchedules,
  lockSchedule,
  nameBatch,
  readDatabaseTime,
  walkScheduleRows,
} from './schedule.ts'

export interface SlotRunner {
  boss: PgBoss
  database: PostgresDatabase
  serviceId: string
  // The time up to which slots have come; that of the database without it.
  readTime?: (() => Promise<Date>) | undefined
  onSlot?: ((schedule: Schedule, decision: SlotDecision, batchId: string | undefined) => void) | undefined
}

// Slots that are skipped are recorded so many at a time.
const slotsMax = 500

const describeProcess = () => `${os.hostname()} (${process.pid})`

const insertRunText = `
  insert into svc.schedule_runs (schedule_id, slot_at, batch_id, skipped_because, decided_by)
  select $1, slot, $3, $4, $5 from unnest($2::timestamptz[]) as s (slot)`

export async function insertRuns(
  query: Query,
  {id}: Pick<Schedule, 'id'>,
  slots: readonly Date[],
  outcome: {batchId: string} | {skippedBecause: SkipReason},
): Promise<void> {
  const [batchId, reason] = 'batchId' in outcome ? [outcome.batchId, null] : [null, outcome.skippedBecause]
  const times = slots.map((slot) => slot.toISOString())
  await query({text: insertRunText}, [id, times, batchId, reason, describeProcess()])
}

async function moveOn(query: Query, schedule: Schedule, slot: Date): Promise<Schedule> {
  const nextAt = getNextSlot(schedule, slot)
  const text = `update svc.schedules set decided_until = $2::timestamptz, next_at = $3::timestamptz where id = $1`
  await query({text}, [schedule.id, slot.toISOString(), nextAt?.toISOString() ?? null])
  return {...schedule, decidedUntil: slot, nextAt}
}

async function insertBatch(boss: PgBoss, query: Query, schedule: Schedule, slot: Date, batchId: string): Promise<void> {
  const {id, serviceId, allowsDuplicates, rowCount} = schedule
  await query(
    {
      text: `insert into svc.batches (id, service_id, name, digest, state, row_count, checks_duplicates)
        values ($1, $2, $3, $4, 'ACTIVE', $5, $6)`,
    },
    [batchId, serviceId, nameBatch(schedule, slot), digestSlot(schedule, slot), rowCount, !allowsDuplicates],
  )
  for await (const rows of walkScheduleRows((text, values) => query({text}, values), id)) {
    const named = rows.map((row) => ({...row, ...deriveKey(schedule, row, slot)}))
    await insertRows(
      query,
      batchId,
      named.map((row) => ({row})),
    )
    const references = named.map(({line, key}) => ({batchId, line, key}))
    await addJobs(boss, query, getBatchQueue(batchId), references)
  }
  await addToCounts(query, batchId, {WAITING: rowCount})
}

// Returns the schedule as it is afterwards, or undefined if another process was quicker.
async function handOut({boss, database}: SlotRunner, schedule: Schedule, slot: Date): Promise<Schedule | undefined> {
  const batchId = deriveBatchId(schedule, slot)
  await createQueue(boss, getBatchQueue(batchId))
  return database.transact(
    async (query) => {
      if (!(await lockSchedule(query, schedule))) return undefined
      await insertBatch(boss, query, schedule, slot, batchId)
      await insertRuns(query, schedule, [slot], {batchId})
      return moveOn(query, schedule, slot)
    },
    // Repeated after a lost answer, it finds the schedule changed by itself.
    {isRepeatable: true},
  )
}

const skip = ({database}: SlotRunner, schedule: Schedule, slots: readonly Date[], skippedBecause: SkipReason) =>
  database.transact(
    async (query) => {
      const last = slots.at(-1)
      if (!last || !(await lockSchedule(query, schedule))) return undefined
      await insertRuns(query, schedule, slots, {skippedBecause})
      return moveOn(query, schedule, last)
    },
    {isRepeatable: true},
  )

// Slots in a row that are skipped for the same reason, or one that is paid.
function groupDecisions(decisions: readonly SlotDecision[]): SlotDecision[][] {
  const groups: SlotDecision[][] = []
  for (const decision of decisions) {
    const group = groups.at(-1)
    const isSame = decision.skippedBecause !== undefined && group?.[0]?.skippedBecause === decision.skippedBecause
    if (group && isSame) group.push(decision)
    else groups.push([decision])
  }
  return groups
}

// Decides about all slots that have come. Returns the schedule as it is then, or undefined if another process is at it.
export async function runSlots(runner: SlotRunner, schedule: Schedule, now: Date): Promise<Schedule | undefined> {
  let current: Schedule | undefined = schedule
  for (;;) {
    const {decisions, hasMore} = chooseSlots(current, now, slotsMax)
    for (const group of groupDecisions(decisions)) {
      const [{slot, skippedBecause} = {slot: now}] = group
      const before: Schedule = current
      current = skippedBecause
        ? await skip(
            runner,
            before,
            group.map((each) => each.slot),
            skippedBecause,
          )
        : await handOut(runner, before, slot)
      if (!current) return undefined
      const batchId = skippedBecause ? undefined : deriveBatchId(before, slot)
      for (const decision of group) runner.onSlot?.(before, decision, batchId)
    }
    if (!hasMore) return current
  }
}

export const readTime = ({database, readTime: read}: SlotRunner): Promise<Date> =>
  read?.() ?? readDatabaseTime(database)

// Decides about the slots of all schedules that have come. One that fails does not keep the others
// waiting; the first failure is thrown after the last of them.
export async function runDueSlots(runner: SlotRunner, now?: Date): Promise<void> {
  const {database, serviceId} = runner
  const time = now ?? (await readTime(runner))
  const due = await listDueSchedules(database, serviceId, time)
  if (due.length === 0) return
  await createQueue(runner.boss, getSettleQueue(serviceId))
  const failures: unknown[] = []
  for (const schedule of due) {
    await runSlots(runner, schedule, time).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

// Lets pg-boss's scheduler wake one worker of the fleet every minute, which then hands out the slots that have come. pg-boss knows
// nothing of single schedules: a minute that nobody saw is made up for by the next one, since the slots that are owed follow from
// the last slot in the database.
const everyMinute = '* * * * *'
const pollSeconds = 2
// Nobody needs a minute that has passed.
const keptSeconds = 300

// At most one job waits, however long no worker of the service runs.
const queueOptions = {policy: 'short', retentionSeconds: keptSeconds, deleteAfterSeconds: keptSeconds} as const

// A queue's name has few characters, and the id of a service may have any.
const getMinuteQueue = (serviceId: string) =>
  `minute.${createHash('sha256').update(serviceId).digest('hex').slice(0, 16)}`

export interface Scheduler {
  // Waits for what is under way.
  close(): Promise<void>
}

// Slots that have come already are handed out before it returns. `report` gets what failed; the next minute tries again.
export async function startScheduler(runner: SlotRunner, report: (error: unknown) => void): Promise<Scheduler> {
  const {boss, serviceId} = runner
  const queue = getMinuteQueue(serviceId)
  const run = () => runDueSlots(runner).catch(report)
  await run()
  await boss.createQueue(queue, queueOptions)
  await boss.schedule(queue, everyMinute)
  await boss.work(queue, {pollingIntervalSeconds: pollSeconds}, run)
  return {close: () => closeQueue(boss, queue).catch(report)}
}

const closeQueue = (boss: PgBoss, queue: string) => boss.offWork(queue, {wait: true})
