// A schedule: what is paid at each slot of a cron expression in a time zone. It is kept in the database with a copy of all rows.
import {createHash, randomBytes} from 'node:crypto'
import {showAmount} from '../../controls/fields.ts'
import {SvcError} from '../../errors.ts'
import {type ResolvedKey, resolveKey} from '../../payments/plan/slots.ts'
import type {PaymentContent, PriceLimits} from '../../payments/protocol/payment.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {PostgresDatabase, Query} from '../../storage/postgres/database.ts'
import {normalizeAmount} from '../../values/money.ts'
import {getNextFiring} from '../../values/schedules.ts'
import {minuteMs} from '../../values/time.ts'
import {toBatchId} from '../batches/batch.ts'
import {type FleetReader, withFleetReader} from '../batches/report-rows.ts'

// What happens to slots that passed while no worker ran: none of them is paid, only the latest, or all.
export const missedPolicies = ['skip', 'latest', 'all'] as const
export type MissedPolicy = (typeof missedPolicies)[number]

// By currency, as decimal text.
export type Sums = ReadonlyArray<{currency: string; amount: string}>

// What a file says about a schedule.
export interface ScheduleTerms {
  name: string
  // A plan of `svc pay`, or a payout file.
  kind: 'pay' | 'payouts'
  cron: string
  zone: string
  missed: MissedPolicy
  isPaused: boolean
  allowsDuplicates: boolean
  // The template of the payment's key. Without one, it is made of the name and the slot.
  key?: string | undefined
  // The file that the rows were read from, as it is written in the file of schedules.
  file?: string | undefined
  digest: string
  rowCount: number
  sums: Sums
}

export interface Schedule extends ScheduleTerms {
  id: string
  serviceId: string
  // Counts the changes.
  revision: number
  // The last slot about which was decided, or when the schedule began.
  decidedUntil: Date
  nextAt?: Date | undefined
  createdAt: Date
  updatedAt: Date
}

interface ScheduleRecord {
  id: string
  service_id: string
  name: string
  revision: number
  kind: 'pay' | 'payouts'
  cron: string
  zone: string
  missed: MissedPolicy
  is_paused: boolean
  allows_duplicates: boolean
  key: string | null
  file: string | null
  digest: string
  row_count: number
  sums: Sums
  decided_until: Date
  next_at: Date | null
  created_at: Date
  updated_at: Date
}

const toSchedule = (record: ScheduleRecord): Schedule => ({
  id: record.id,
  serviceId: record.service_id,
  name: record.name,
  revision: record.revision,
  kind: record.kind,
  cron: record.cron,
  zone: record.zone,
  missed: record.missed,
  isPaused: record.is_paused,
  allowsDuplicates: record.allows_duplicates,
  ...(record.key !== null && {key: record.key}),
  ...(record.file !== null && {file: record.file}),
  digest: record.digest,
  rowCount: record.row_count,
  sums: record.sums,
  decidedUntil: record.decided_until,
  ...(record.next_at && {nextAt: record.next_at}),
  createdAt: record.created_at,
  updatedAt: record.updated_at,
})

type Reader = Pick<PostgresDatabase, 'read'>

const idBytes = 8

export const createScheduleId = () => `s${randomBytes(idBytes).toString('hex')}`

export async function listSchedules(database: Reader, serviceId: string): Promise<Schedule[]> {
  const text = 'select * from svc.schedules where service_id = $1 and deleted_at is null order by name'
  return (await database.read<ScheduleRecord>({text}, [serviceId])).map(toSchedule)
}

export async function findScheduleById(database: Reader, id: string): Promise<Schedule | undefined> {
  const text = 'select * from svc.schedules where id = $1 and deleted_at is null'
  const [found] = await database.read<ScheduleRecord>({text}, [id])
  return found && toSchedule(found)
}

// Those with a slot that has come, the oldest slot first.
export async function listDueSchedules(database: Reader, serviceId: string, now: Date): Promise<Schedule[]> {
  const text = `select * from svc.schedules where service_id = $1 and deleted_at is null and next_at <= $2::timestamptz
    order by next_at, name`
  return (await database.read<ScheduleRecord>({text}, [serviceId, now.toISOString()])).map(toSchedule)
}

// The schedule whose slot a batch is, if it is one.
export async function findSlotSchedule(
  database: Reader,
  batchId: string,
): Promise<{schedule: Schedule; slotAt: Date} | undefined> {
  const text = `select s.*, r.slot_at from svc.schedule_runs r join svc.schedules s on s.id = r.schedule_id
    where r.batch_id = $1`
  const [record] = await database.read<ScheduleRecord & {slot_at: Date}>({text}, [batchId])
  return record && {schedule: toSchedule(record), slotAt: record.slot_at}
}

// Whether the schedule has a slot at this time.
export const hasSlot = (schedule: Schedule, slot: Date): boolean =>
  getNextSlot(schedule, new Date(slot.getTime() - 1))?.getTime() === slot.getTime()

// Locks the schedules that are still as they were read, and returns their ids. Another process that works on one is not waited for.
export async function lockSchedules(query: Query, schedules: readonly Schedule[]): Promise<Set<string>> {
  const text = `select s.id from svc.schedules s
    join jsonb_to_recordset($1::jsonb) as r (id text, revision integer, decided_until timestamptz)
      on s.id = r.id and s.revision = r.revision and s.decided_until = r.decided_until
    where s.deleted_at is null order by s.id for update of s skip locked`
  const records = schedules.map(({id, revision, decidedUntil}) => ({id, revision, decided_until: decidedUntil}))
  return new Set((await query<{id: string}>({text}, [JSON.stringify(records)])).map(({id}) => id))
}

// The clocks of hosts may differ, so that of the database counts.
export async function readDatabaseTime(database: Reader): Promise<Date> {
  const [found] = await database.read<{now: Date}>({text: 'select clock_timestamp() as now'})
  if (!found) throw new Error('the database did not say the time')
  return found.now
}

export const noSchedule = (name: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `There is no schedule ${JSON.stringify(name)}`,
    hint: '`svc schedules list` lists those of this profile',
  })

interface RowRecord {
  schedule_id: string
  line: number
  key: string
  content: PaymentContent
  limits: PriceLimits
  is_guaranteed: boolean
  note: string | null
}

const toPayoutRow = ({line, key, content, limits, is_guaranteed: isGuaranteed, note}: RowRecord): PayoutRow => ({
  line,
  key,
  content,
  limits,
  isGuaranteed,
  ...(note !== null && {note}),
})

const pageSize = 1000

type ReadRows = (text: string, values: readonly (string | number | readonly string[])[]) => Promise<RowRecord[]>

// A row of one of several schedules.
export interface ScheduleRow {
  scheduleId: string
  row: PayoutRow
}

// Walks the rows of schedules in the order of each file, some at a time.
export async function* walkScheduleRows(read: ReadRows, ids: readonly string[]): AsyncGenerator<ScheduleRow[]> {
  const text = `select schedule_id, line, key, content, limits, is_guaranteed, note from svc.schedule_rows
    where schedule_id = any($1) and (schedule_id, line) > ($2, $3) order by schedule_id, line limit ${pageSize}`
  for (let after: Pick<RowRecord, 'schedule_id' | 'line'> | undefined = {schedule_id: '', line: 0}; after;) {
    const page = await read(text, [ids, after.schedule_id, after.line])
    if (page.length > 0) yield page.map((record) => ({scheduleId: record.schedule_id, row: toPayoutRow(record)}))
    after = page.length < pageSize ? undefined : page.at(-1)
  }
}

export async function* walkStoredRows(database: Reader, scheduleId: string): AsyncGenerator<PayoutRow[]> {
  const read: ReadRows = (text, values) => database.read<RowRecord & Record<string, unknown>>({text}, values)
  for await (const page of walkScheduleRows(read, [scheduleId])) yield page.map(({row}) => row)
}

// The names of a slot: the key of each of its payments, the same whoever pays it and whenever, and the batch that it becomes.

// To the minute, since cron knows no finer time: 2026-11-16T08:00Z
export const formatSlot = (slot: Date): string => slot.toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z')

type NamedTerms = Pick<ScheduleTerms, 'name' | 'kind' | 'zone' | 'key'>

// A payment has the key of its plan, filled in for the slot, or one made of the name and the slot. The rows of a file have keys of
// their own, which are made into those of the slot.
export function deriveKey({name, kind, zone, key}: NamedTerms, row: Pick<PayoutRow, 'key'>, slot: Date): ResolvedKey {
  if (key !== undefined) return resolveKey(key, {atMs: slot.getTime(), zone})
  const suffix = kind === 'pay' ? '' : `-${row.key}`
  return {
    key: `${name}-${formatSlot(slot)}${suffix}`,
    template: `${name}-{slot}${suffix}`,
    slot: slot.toISOString(),
  }
}

export const nameBatch = ({name}: NamedTerms, slot: Date) => `${name}-${formatSlot(slot)}`

const hash = (text: string) => createHash('sha256').update(text).digest()

// The same for everyone who decides about the slot, so that a slot that was begun by a process which then ended is not begun anew.
export const deriveBatchId = ({id}: Pick<Schedule, 'id'>, slot: Date) => toBatchId(hash(`${id} ${slot.toISOString()}`))

// Of what the slot pays.
export const digestSlot = ({digest}: Pick<Schedule, 'digest'>, slot: Date) =>
  hash(`${digest} ${slot.toISOString()}`).toString('hex')

// Says in words what a schedule pays at each slot.
type Pays = Pick<ScheduleTerms, 'kind' | 'file' | 'rowCount' | 'sums'>

const describeSums = ({sums}: Pays) =>
  sums.map(({amount, currency}) => `${showAmount(normalizeAmount(amount))} ${currency}`).join(', ')

export function describePays(pays: Pays): string {
  const {kind, file, rowCount} = pays
  if (kind === 'pay') return `${describeSums(pays)}${file === undefined ? '' : ` (${file})`}`
  return `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}, ${describeSums(pays)} (${file ?? ''})`
}

// Decides which slots of a schedule are paid and which are skipped: those that have come since the last one about which was decided.

// A slot that no worker saw within this time counts as missed, which matters to the policy `skip` alone.
const lateMinutesMax = 15

export type SkipReason = 'MISSED' | 'PAUSED' | 'DELETED'

export interface SlotDecision {
  slot: Date
  // Absent if it is paid.
  skippedBecause?: SkipReason
}

export interface SlotDecisions {
  // In the order of time.
  decisions: SlotDecision[]
  // Whether slots are left that have come.
  hasMore: boolean
}

type Timing = Pick<Schedule, 'cron' | 'zone' | 'missed' | 'isPaused' | 'decidedUntil'>

export const getNextSlot = ({cron, zone}: Pick<Schedule, 'cron' | 'zone'>, after: Date): Date | undefined =>
  getNextFiring(cron, after.getTime(), zone)

function chooseReason({missed, isPaused}: Timing, slot: Date, now: Date, isLatest: boolean): SkipReason | undefined {
  if (isPaused) return 'PAUSED'
  if (missed === 'all' || (missed === 'latest' && isLatest)) return undefined
  if (missed === 'latest') return 'MISSED'
  return now.getTime() - slot.getTime() <= lateMinutesMax * minuteMs ? undefined : 'MISSED'
}

// At most `max` at a time: a schedule may have been asleep for long.
export function chooseSlots(schedule: Timing, now: Date, max: number): SlotDecisions {
  const decisions: SlotDecision[] = []
  let slot = getNextSlot(schedule, schedule.decidedUntil)
  while (slot && slot <= now && decisions.length < max) {
    const next = getNextSlot(schedule, slot)
    const skippedBecause = chooseReason(schedule, slot, now, !next || next > now)
    decisions.push({slot, ...(skippedBecause && {skippedBecause})})
    slot = next
  }
  return {decisions, hasMore: slot !== undefined && slot <= now}
}

// Opens the database of the fleet for its schedules.
export const withSchedules = <T>(traits: ServiceTraits, work: (fleet: FleetReader) => Promise<T>): Promise<T> =>
  withFleetReader(traits, work, 'schedules')
