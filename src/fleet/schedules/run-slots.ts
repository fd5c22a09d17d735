// Hands the slots that have come to the workers: each one becomes a batch, in the transaction that records the slot. Any number of
// processes may do it at the same time; each slot is recorded once.
import {createHash} from 'node:crypto'
import os from 'node:os'
import type {PgBoss} from 'pg-boss'
import type {PostgresDatabase, Query} from '../../storage/postgres/database.ts'
import {insertRows} from '../batches/batch.ts'
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
  lockSchedules,
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

// A slot of a schedule.
interface OwnSlot {
  schedule: Schedule
  slot: Date
}

type Outcome = {batchId: string} | {skippedBecause: SkipReason}

const insertRunText = `
  insert into svc.schedule_runs (schedule_id, slot_at, batch_id, skipped_because, decided_by)
  select schedule_id, slot_at, batch_id, skipped_because, $2
  from jsonb_to_recordset($1::jsonb) as r (schedule_id text, slot_at timestamptz, batch_id text, skipped_because text)`

export async function insertRuns(query: Query, runs: ReadonlyArray<OwnSlot & {outcome: Outcome}>): Promise<void> {
  const records = runs.map(({schedule, slot, outcome}) => ({
    schedule_id: schedule.id,
    slot_at: slot,
    batch_id: 'batchId' in outcome ? outcome.batchId : null,
    skipped_because: 'batchId' in outcome ? null : outcome.skippedBecause,
  }))
  await query({text: insertRunText}, [JSON.stringify(records), describeProcess()])
}

const moveOnText = `
  update svc.schedules as s set decided_until = r.decided_until, next_at = r.next_at
  from jsonb_to_recordset($1::jsonb) as r (id text, decided_until timestamptz, next_at timestamptz) where s.id = r.id`

// Each has been decided about until its slot.
async function moveOn(query: Query, slots: readonly OwnSlot[]): Promise<Schedule[]> {
  const moved = slots.map(({schedule, slot}) => ({
    ...schedule,
    decidedUntil: slot,
    nextAt: getNextSlot(schedule, slot),
  }))
  const records = moved.map(({id, decidedUntil, nextAt}) => ({
    id,
    decided_until: decidedUntil,
    next_at: nextAt ?? null,
  }))
  await query({text: moveOnText}, [JSON.stringify(records)])
  return moved
}

const insertBatchText = `
  insert into svc.batches (id, service_id, name, digest, state, row_count, checks_duplicates)
  select id, service_id, name, digest, 'ACTIVE', row_count, checks_duplicates
  from jsonb_to_recordset($1::jsonb)
    as r (id text, service_id text, name text, digest text, row_count integer, checks_duplicates boolean)`

const insertCountText = `
  insert into svc.batch_counts (batch_id, state, row_count)
  select id, 'WAITING', row_count from svc.batches where id = any($1)`

async function insertBatches(boss: PgBoss, query: Query, slots: readonly OwnSlot[]): Promise<void> {
  const batches = new Map(
    slots.map(({schedule, slot}) => [schedule.id, {schedule, slot, id: deriveBatchId(schedule, slot)}]),
  )
  const records = [...batches.values()].map(({schedule, slot, id}) => ({
    id,
    service_id: schedule.serviceId,
    name: nameBatch(schedule, slot),
    digest: digestSlot(schedule, slot),
    row_count: schedule.rowCount,
    checks_duplicates: !schedule.allowsDuplicates,
  }))
  await query({text: insertBatchText}, [JSON.stringify(records)])
  for await (const page of walkScheduleRows((text, values) => query({text}, values), [...batches.keys()])) {
    const rows = page.flatMap(({scheduleId, row}) => {
      const batch = batches.get(scheduleId)
      return batch ? [{batchId: batch.id, row: {...row, ...deriveKey(batch.schedule, row, batch.slot)}}] : []
    })
    await insertRows(query, rows)
    for (const [batchId, own] of Map.groupBy(rows, (each) => each.batchId)) {
      const references = own.map(({row: {line, key}}) => ({batchId, line, key}))
      await addJobs(boss, query, getBatchQueue(batchId), references)
    }
  }
  await query({text: insertCountText}, [records.map(({id}) => id)])
}

// Returns the schedules as they are afterwards, without those that another process was quicker with.
async function handOut({boss, database}: SlotRunner, slots: readonly OwnSlot[]): Promise<Schedule[]> {
  for (const {schedule, slot} of slots) await createQueue(boss, getBatchQueue(deriveBatchId(schedule, slot)))
  return database.transact(
    async (query) => {
      const ids = await lockSchedules(
        query,
        slots.map(({schedule}) => schedule),
      )
      const own = slots.filter(({schedule}) => ids.has(schedule.id))
      if (own.length === 0) return []
      await insertBatches(boss, query, own)
      await insertRuns(
        query,
        own.map((each) => ({...each, outcome: {batchId: deriveBatchId(each.schedule, each.slot)}})),
      )
      return moveOn(query, own)
    },
    // Repeated after a lost answer, it finds the schedules changed by itself.
    {isRepeatable: true},
  )
}

const skip = ({database}: SlotRunner, schedule: Schedule, slots: readonly Date[], skippedBecause: SkipReason) =>
  database.transact(
    async (query) => {
      const last = slots.at(-1)
      if (!last || !(await lockSchedules(query, [schedule])).has(schedule.id)) return []
      await insertRuns(
        query,
        slots.map((slot) => ({schedule, slot, outcome: {skippedBecause}})),
      )
      return moveOn(query, [{schedule, slot: last}])
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
      const slots = group.map((each) => each.slot)
      const moved = await (skippedBecause
        ? skip(runner, before, slots, skippedBecause)
        : handOut(runner, [{schedule: before, slot}]))
      current = moved[0]
      if (!current) return undefined
      const batchId = skippedBecause ? undefined : deriveBatchId(before, slot)
      for (const decision of group) runner.onSlot?.(before, decision, batchId)
    }
    if (!hasMore) return current
  }
}

export const readTime = ({database, readTime: read}: SlotRunner): Promise<Date> =>
  read?.() ?? readDatabaseTime(database)

// Many schedules are due in the same minute, most of them with one slot to pay and a few rows. These are handed out together.
const groupSize = 100
const groupRowsMax = 1_000

function splitGroups(due: readonly Schedule[], now: Date): {groups: OwnSlot[][]; others: Schedule[]} {
  const slots: OwnSlot[] = []
  const others: Schedule[] = []
  for (const schedule of due) {
    const [only, second] = chooseSlots(schedule, now, 2).decisions
    const isUsual = only && !only.skippedBecause && !second && schedule.rowCount * groupSize <= groupRowsMax
    if (isUsual) slots.push({schedule, slot: only.slot})
    else others.push(schedule)
  }
  const groups: OwnSlot[][] = []
  for (let start = 0; start < slots.length; start += groupSize) groups.push(slots.slice(start, start + groupSize))
  return {groups, others}
}

// Returns those that have to be handed out one by one, since something is wrong with one of them.
async function handOutGroup(runner: SlotRunner, group: readonly OwnSlot[]): Promise<Schedule[]> {
  try {
    const moved = new Set((await handOut(runner, group)).map(({id}) => id))
    for (const {schedule, slot} of group)
      if (moved.has(schedule.id)) runner.onSlot?.(schedule, {slot}, deriveBatchId(schedule, slot))
    return []
  } catch {
    return group.map(({schedule}) => schedule)
  }
}

// Decides about the slots of all schedules that have come. One that fails does not keep the others
// waiting; the first failure is thrown after the last of them.
export async function runDueSlots(runner: SlotRunner, now?: Date): Promise<void> {
  const {database, serviceId} = runner
  const time = now ?? (await readTime(runner))
  const due = await listDueSchedules(database, serviceId, time)
  if (due.length === 0) return
  await createQueue(runner.boss, getSettleQueue(serviceId))
  const {groups, others} = splitGroups(due, time)
  for (const group of groups) others.push(...(await handOutGroup(runner, group)))
  const failures: unknown[] = []
  for (const schedule of others) {
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
