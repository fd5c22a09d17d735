// Plans what must change so that the database has the schedules of a file. Planning writes nothing.
import type {Action} from '../../cli/apply/plan.ts'
import {badUsage} from '../../errors.ts'
import {compareContent, describeContent} from '../../payments/protocol/key-use.ts'
import {type PriceLimits, toComparableText} from '../../payments/protocol/payment.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {listNextFirings} from '../../values/schedules.ts'
import {minuteMs} from '../../values/time.ts'
import {type Schedule, type ScheduleTerms, describePays, formatSlot, listSchedules, walkStoredRows} from './schedule.ts'
import type {WantedSchedule} from './schedule-rows.ts'

export interface Change {
  field: string
  from?: string
  to?: string
}

// A step as it is printed.
export interface PlanRow {
  action: Action
  name: string
  changes: Change[]
  // The next slots, in UTC. A schedule that is deleted or paused has none.
  nextSlots: string[]
}

export interface PlanStep extends PlanRow {
  existing?: Schedule
  wanted?: WantedSchedule
}

const slotsShown = 3

// The fields of a schedule as people write them, in the order of the file.
const toFields = (terms: ScheduleTerms): Record<string, string | undefined> => ({
  cron: terms.cron,
  zone: terms.zone,
  missed: terms.missed,
  paused: terms.isPaused ? 'true' : undefined,
  allowDuplicates: terms.allowsDuplicates ? 'true' : undefined,
  key: terms.key,
})

function compareFields(
  before: Readonly<Record<string, string | undefined>>,
  after: Readonly<Record<string, string | undefined>>,
): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => before[field] !== after[field])
    .map((field) => ({
      field,
      ...(before[field] !== undefined && {from: before[field]}),
      ...(after[field] !== undefined && {to: after[field]}),
    }))
}

const describeFee = (feeMax: PriceLimits['feeMax']) =>
  feeMax && ('amount' in feeMax ? feeMax.amount : `${feeMax.percent}%`)

const toLimitFields = ({limits, isGuaranteed}: PayoutRow): Record<string, string | undefined> => ({
  'max-fee': describeFee(limits.feeMax),
  'min-rate': limits.rateMin,
  'min-received': limits.receivedMin,
  guarantee: isGuaranteed ? 'yes' : undefined,
})

const comparePlans = (before: PayoutRow, after: PayoutRow): Change[] => [
  ...compareContent(before.content, after.content).map(({name, from, to}) => ({field: name, from, to})),
  ...compareFields(toLimitFields(before), toLimitFields(after)),
]

const toRowText = ({content, limits, isGuaranteed, note}: PayoutRow) =>
  toComparableText({content, limits, isGuaranteed, note})

function compareFiles(before: readonly PayoutRow[], after: readonly PayoutRow[]): Change[] {
  const known = new Map(before.map((row) => [row.key, toRowText(row)]))
  const added = after.filter(({key}) => !known.has(key)).length
  const changed = after.filter((row) => known.has(row.key) && known.get(row.key) !== toRowText(row)).length
  const removed = before.length - (after.length - added)
  return [{field: 'rows', to: `${added} added, ${removed} removed, ${changed} changed`}]
}

async function readRows(database: PostgresDatabase, {id}: Schedule): Promise<PayoutRow[]> {
  const rows: PayoutRow[] = []
  for await (const page of walkStoredRows(database, id)) rows.push(...page)
  return rows
}

async function comparePays(database: PostgresDatabase, existing: Schedule, wanted: WantedSchedule): Promise<Change[]> {
  const {terms} = wanted
  const isSameFile = existing.file === terms.file
  if (existing.digest === terms.digest && isSameFile) return []
  const [from, to] = [describePays(existing), describePays(terms)]
  const whole = from === to ? [] : [{field: 'pays', from, to}]
  if (existing.kind !== terms.kind || existing.digest === terms.digest) return whole
  const before = await readRows(database, existing)
  const [plan, wantedPlan] = [before[0], wanted.rows[0]]
  if (terms.kind === 'payouts' || !plan || !wantedPlan) return [...whole, ...compareFiles(before, wanted.rows)]
  return [
    ...(isSameFile ? [] : compareFields({file: existing.file}, {file: terms.file})),
    ...comparePlans(plan, wantedPlan),
  ]
}

const listNextSlots = ({cron, zone, isPaused}: ScheduleTerms, nowMs: number): string[] =>
  isPaused ? [] : listNextFirings(cron, nowMs, slotsShown, zone).map(formatSlot)

// All of a schedule: a payment with its route, so that a person sees where the money goes, or the file in short.
function describeAll(terms: ScheduleTerms, plan: PayoutRow | undefined): Record<string, string | undefined> {
  if (terms.kind === 'payouts' || !plan) return {...toFields(terms), pays: describePays(terms)}
  const {'developer-fee': fee, ...content} = describeContent(plan.content)
  return {
    ...toFields(terms),
    file: terms.file,
    ...content,
    ...(fee !== 'none' && {'developer-fee': fee}),
    ...toLimitFields(plan),
  }
}

async function readPlan(database: PostgresDatabase, {id}: Schedule): Promise<PayoutRow | undefined> {
  for await (const [first] of walkStoredRows(database, id)) return first
  return undefined
}

export const planDeletion = async (database: PostgresDatabase, existing: Schedule): Promise<PlanStep> => ({
  action: 'delete',
  name: existing.name,
  changes: compareFields(describeAll(existing, await readPlan(database, existing)), {}),
  nextSlots: [],
  existing,
})

async function planSchedule(
  database: PostgresDatabase,
  wanted: WantedSchedule,
  existing: Schedule | undefined,
  nowMs: number,
): Promise<PlanStep> {
  const {terms} = wanted
  const row = {name: terms.name, nextSlots: listNextSlots(terms, nowMs), wanted}
  if (!existing) {
    return {action: 'create', ...row, changes: compareFields({}, describeAll(terms, wanted.rows[0]))}
  }
  const changes = [
    ...compareFields(toFields(existing), toFields(terms)),
    ...(await comparePays(database, existing, wanted)),
  ]
  return {action: changes.length > 0 ? 'update' : 'unchanged', ...row, changes, existing}
}

// A key belongs to one schedule, or one of them would not be paid.
function rejectSharedKeys(wanted: readonly WantedSchedule[], others: readonly Schedule[]): void {
  for (const {label, terms} of wanted) {
    const other = terms.key === undefined ? undefined : others.find(({key}) => key === terms.key)
    if (!other) continue
    throw badUsage(
      `${label}.pay.key is also that of the schedule ${JSON.stringify(other.name)}`,
      'Write another one, or leave it out; nothing was changed',
    )
  }
}

export interface PlanOptions {
  serviceId: string
  // Whether schedules that the file does not have are deleted.
  prune: boolean
  now: Date
}

export async function planChanges(
  database: PostgresDatabase,
  wanted: readonly WantedSchedule[],
  {serviceId, prune, now}: PlanOptions,
): Promise<PlanStep[]> {
  const existing = await listSchedules(database, serviceId)
  const others = existing.filter(({name}) => !wanted.some(({terms}) => terms.name === name))
  rejectSharedKeys(wanted, prune ? [] : others)
  const steps: PlanStep[] = []
  for (const each of wanted) {
    const known = existing.find(({name}) => name === each.terms.name)
    steps.push(await planSchedule(database, each, known, now.getTime()))
  }
  if (prune) for (const other of others) steps.push(await planDeletion(database, other))
  return steps
}

// Whether slots of the schedule as it was may have come, by the clock of this machine.
export const mayOweSlots = ({action, existing}: PlanStep): boolean =>
  action === 'update' && existing?.nextAt !== undefined && existing.nextAt.getTime() <= Date.now() + 2 * minuteMs

export const toPlanRow = ({action, name, changes, nextSlots}: PlanStep): PlanRow => ({action, name, changes, nextSlots})
