// Applies a plan of schedules: all of its steps in one transaction, or none. Slots that have come by then are handed out first, as
// the schedules were when they came.
import {randomUUID} from 'node:crypto'
import {SvcError} from '../../errors.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import type {Query} from '../../storage/postgres/database.ts'
import {getSqlState} from '../../storage/postgres/postgres-error.ts'
import {type Schedule, chooseSlots, createScheduleId, findScheduleById, getNextSlot} from './schedule.ts'
import type {Action} from '../../cli/apply/plan.ts'
import type {PlanStep} from './plan.ts'
import {type SlotRunner, insertRuns, readTime, runSlots} from './run-slots.ts'
import type {WantedSchedule} from './schedule-rows.ts'

export interface AppliedRow {
  action: Action
  name: string
  outcome: 'done'
}

const uniqueViolation = '23505'
const chunkRows = 1000
// So many of the slots that a deleted schedule still owed are recorded.
const deletedSlotsMax = 1000
const triesMax = 20

const changedMeanwhile = (name: string) =>
  new SvcError({
    error: 'SCHEDULE_CHANGED',
    kind: 'usage',
    message: `The schedule ${JSON.stringify(name)} was changed by someone else meanwhile`,
    hint: 'Run the command again, which shows what is to be changed now; nothing was changed',
  })

// A slot has come since they were looked for.
class SlotCame extends Error {
  override name = 'SlotCame'
}

async function insertScheduleRows(query: Query, scheduleId: string, rows: readonly PayoutRow[]): Promise<void> {
  await query({text: 'delete from svc.schedule_rows where schedule_id = $1'}, [scheduleId])
  for (let start = 0; start < rows.length; start += chunkRows) {
    const records = rows.slice(start, start + chunkRows).map(({line, key, content, limits, isGuaranteed, note}) => ({
      line,
      key,
      content,
      limits,
      is_guaranteed: isGuaranteed,
      note: note ?? null,
    }))
    await query(
      {
        text: `insert into svc.schedule_rows (schedule_id, line, key, content, limits, is_guaranteed, note)
          select $1, line, key, content, limits, is_guaranteed, note from jsonb_to_recordset($2::jsonb)
            as r (line integer, key text, content jsonb, limits jsonb, is_guaranteed boolean, note text)`,
      },
      [scheduleId, JSON.stringify(records)],
    )
  }
}

interface Context {
  serviceId: string
  now: Date
  // Marks what this run has written, to recognize it after a lost answer.
  changeId: string
}

const toValues = ({terms}: WantedSchedule, decidedUntil: Date) => [
  terms.kind,
  terms.cron,
  terms.zone,
  terms.missed,
  terms.isPaused,
  terms.allowsDuplicates,
  terms.key ?? null,
  terms.file ?? null,
  terms.digest,
  terms.rowCount,
  JSON.stringify(terms.sums),
  decidedUntil.toISOString(),
  getNextSlot(terms, decidedUntil)?.toISOString() ?? null,
]

const columns = `kind, cron, zone, missed, is_paused, allows_duplicates, key, file, digest, row_count, sums, decided_until, next_at`
const parameters = '$5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16::timestamptz, $17::timestamptz'

async function create(query: Query, {serviceId, now, changeId}: Context, wanted: WantedSchedule, id: string) {
  const text = `insert into svc.schedules (id, service_id, name, change_id, ${columns})
    values ($1, $2, $3, $4, ${parameters}) on conflict (id) do nothing returning id`
  const values = [id, serviceId, wanted.terms.name, changeId, ...toValues(wanted, now)]
  const created = await query({text}, values)
  if (created.length > 0) await insertScheduleRows(query, id, wanted.rows)
}

interface Locked {
  revision: number
  change_id: string
  decided_until: Date
  next_at: Date | null
  deleted_at: Date | null
}

// Undefined if this run has changed it already, before its answer was lost.
async function lock(query: Query, {changeId, now}: Context, existing: Schedule): Promise<Locked | undefined> {
  const text = `select revision, change_id, decided_until, next_at, deleted_at from svc.schedules where id = $1 for update`
  const [found] = await query<Locked & Record<string, unknown>>({text}, [existing.id])
  if (found?.change_id === changeId) return undefined
  if (!found || found.deleted_at || found.revision !== existing.revision) throw changedMeanwhile(existing.name)
  if (found.next_at && found.next_at <= now) throw new SlotCame()
  return found
}

async function update(query: Query, context: Context, existing: Schedule, wanted: WantedSchedule) {
  const locked = await lock(query, context, existing)
  if (!locked) return
  const {terms} = wanted
  const isRetimed = existing.cron !== terms.cron || existing.zone !== terms.zone
  // A schedule owes nothing from before it was written.
  const decidedUntil = isRetimed && locked.decided_until < context.now ? context.now : locked.decided_until
  const text = `update svc.schedules set (${columns}) = (${parameters}), name = $3, change_id = $4, revision = revision + 1,
    updated_at = now() where id = $1 and service_id = $2`
  const values = [existing.id, existing.serviceId, terms.name, context.changeId, ...toValues(wanted, decidedUntil)]
  await query({text}, values)
  if (existing.digest !== terms.digest) await insertScheduleRows(query, existing.id, wanted.rows)
}

// Slots that have come and were not handed out are not paid.
async function remove(query: Query, context: Context, existing: Schedule) {
  const locked = await lock(query, {...context, now: new Date(0)}, existing)
  if (!locked) return
  const owed = chooseSlots({...existing, decidedUntil: locked.decided_until}, context.now, deletedSlotsMax).decisions
  const runs = owed.map(({slot}) => ({schedule: existing, slot, outcome: {skippedBecause: 'DELETED' as const}}))
  if (runs.length > 0) await insertRuns(query, runs)
  await query({text: 'delete from svc.schedule_rows where schedule_id = $1'}, [existing.id])
  const text = `update svc.schedules set deleted_at = now(), change_id = $2, revision = revision + 1 where id = $1`
  await query({text}, [existing.id, context.changeId])
}

// Slots that came before the change are those of the schedule as it was, but the new policy decides about missed ones.
async function runOwedSlots(runner: SlotRunner, steps: readonly PlanStep[], now: Date): Promise<void> {
  for (const {action, existing, wanted} of steps) {
    if (action !== 'update' || !existing || !wanted) continue
    const current = await findScheduleById(runner.database, existing.id)
    if (!current || current.revision !== existing.revision) continue
    const {missed, isPaused} = wanted.terms
    await runSlots(runner, {...current, missed, isPaused: isPaused || current.isPaused}, now)
  }
}

export async function applyPlan(runner: SlotRunner, steps: readonly PlanStep[], at?: Date): Promise<AppliedRow[]> {
  const {database, serviceId} = runner
  const now = at ?? (await readTime(runner))
  const context = {serviceId, now, changeId: randomUUID()}
  const todo = steps.filter(({action}) => action !== 'unchanged').map((step) => ({...step, newId: createScheduleId()}))
  const apply = async (query: Query) => {
    for (const {action, existing, wanted, newId} of todo) {
      if (action === 'delete' && existing) await remove(query, context, existing)
      else if (existing && wanted) await update(query, context, existing, wanted)
      else if (wanted) await create(query, context, wanted, newId)
    }
  }
  for (let tries = 1; ; tries++) {
    await runOwedSlots(runner, todo, now)
    try {
      await database.transact(apply, {isRepeatable: true})
      return steps.map(({action, name}) => ({action, name, outcome: 'done'}))
    } catch (error) {
      // A worker is handing out the same slot; it is waited for with the next lock.
      if (error instanceof SlotCame && tries < triesMax) continue
      const cause = error instanceof Error ? (error.cause ?? error) : error
      const created = todo.find(({action}) => action === 'create')
      if (getSqlState(cause) === uniqueViolation && created) throw changedMeanwhile(created.name)
      throw error
    }
  }
}
