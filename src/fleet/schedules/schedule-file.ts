// Reads a file of schedules, and validates all of it: what is paid, at which slots, and what happens to slots that were missed.
import {toText} from '../../cli/output/view.ts'
import path from 'node:path'
import {z} from 'zod'
import {type WarningPolicy, rejectUnlessAccepted} from '../../cli/body/reject-problems.ts'
import type {Body} from '../../values/body-paths.ts'
import {UntypedText, coerceToSchema, isObject, readBody} from '../../cli/body/body.ts'
import {readDataFile} from '../../cli/body/input-file.ts'
import {suggestFields} from '../../cli/body/suggest-fields.ts'
import {type Problem, findProblems} from '../../contract/problems.ts'
import {text} from '../../contract/scalars.ts'
import {badUsage} from '../../errors.ts'
import {planFile} from '../../payments/plan/plan-file.ts'
import {type CheckedPlan, checkPlan} from '../../payments/plan/plan.ts'
import {findKeyFault, parseZone, resolveKey, zoneDefault} from '../../payments/plan/slots.ts'
import {listNextFirings, validateSchedule} from '../../values/schedules.ts'
import {type MissedPolicy, type ScheduleTerms, formatSlot, missedPolicies} from './schedule.ts'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/
const nameRule = 'must be 1 to 60 letters, digits, dots, hyphens or underscores, and begin with a letter or a digit'

export const scheduleInFile = z.strictObject({
  name: text.regex(namePattern, nameRule),
  cron: text,
  zone: text.optional(),
  missed: z.enum(missedPolicies).optional(),
  paused: z.boolean().optional(),
  allowDuplicates: z.boolean().optional(),
  // A plan as `svc pay -f` reads it, or the path of one.
  pay: z.union([text, planFile]).optional(),
  // The path of a payout file.
  payouts: text.optional(),
})

// What is in a plan is validated as `svc pay` does.
const scheduleFrame = scheduleInFile.extend({pay: z.unknown().optional()})

const missedDefault: MissedPolicy = 'latest'

// What the file says. The rows are read and completed afterwards.
export type WrittenSchedule = Omit<ScheduleTerms, 'digest' | 'rowCount' | 'sums'> & {
  // How problems name it, such as schedules[0].
  label: string
} & ({kind: 'pay'; plan: CheckedPlan} | {kind: 'payouts'; path: string})

type ReadSchedule = {fields: Body; label: string; plan?: CheckedPlan}

const withoutFlag = (problem: Problem) => ({...problem, message: problem.message.replace(/ \(--[\w-]+\)$/, '')})

function findFrameProblems(fields: Body, nowMs: number): Problem[] {
  const problems = suggestFields(scheduleInFile, findProblems(scheduleFrame, fields)).map((problem) =>
    problem.kind === 'unknownField'
      ? {...problem, message: problem.message.replace('a field of the interface', 'a field of a schedule')}
      : problem,
  )
  const {cron, zone, pay, payouts} = fields
  if (typeof cron === 'string' && cron !== '') {
    const problem = validateSchedule('cron', cron, nowMs)
    // svc runs it, so what svc does not understand is wrong.
    if (problem) problems.push({...problem, isWarning: false})
  }
  if (typeof zone === 'string' && !isZone(zone)) {
    problems.push({path: 'zone', message: 'is not a time zone; write its IANA name, such as Europe/Berlin'})
  }
  if ((pay === undefined) === (payouts === undefined)) {
    const message =
      pay === undefined ? 'needs one of pay and payouts' : 'has both pay and payouts, but can have only one'
    problems.push({path: '', message})
  }
  return problems
}

function isZone(zone: string): boolean {
  try {
    parseZone(zone, 'zone')
    return true
  } catch {
    return false
  }
}

// A key is made of the name and the slot, unless the plan has one.
function findPlanProblems({fields, plan}: ReadSchedule, nowMs: number, isTimed: boolean): Problem[] {
  if (!plan) return []
  const problems = plan.problems.filter(
    ({path: field, message}) => !(field === 'key' && message.startsWith('is missing')),
  )
  const key = plan.own['key']
  if (typeof key === 'string' && isTimed) {
    const {cron, zone} = fields
    const times = {cron: toText(cron), zone: parseZone(toText(zone ?? zoneDefault), 'zone')}
    const problem = findKeyTemplateProblem({...times, key}, nowMs)
    if (problem !== undefined) problems.push({path: 'key', message: problem})
  }
  return problems.map((problem) => ({...withoutFlag(problem), path: `pay.${problem.path}`}))
}

const joinPath = (label: string, field: string) => [label, field].filter((part) => part !== '').join('.')

// Two schedules of one file must be two, and pay under keys of their own.
function findRepeated(schedules: readonly ReadSchedule[]): Problem[] {
  const first = new Map<string, string>()
  return schedules.flatMap(({fields, label, plan}): Problem[] => {
    const names: ReadonlyArray<readonly [string, unknown]> = [
      ['name', fields['name']],
      ['pay.key', plan?.own['key']],
    ]
    return names.flatMap(([field, value]) => {
      if (typeof value !== 'string') return []
      const other = first.get(`${field} ${value}`)
      if (other === undefined) first.set(`${field} ${value}`, label)
      return other === undefined ? [] : [{path: joinPath(label, field), message: `is also that of ${other}`}]
    })
  })
}

function findList(data: unknown, name: string): unknown[] {
  if (Array.isArray(data)) return data
  const {schedules, ...others} = isObject(data) ? data : {}
  const [other] = Object.keys(others)
  if (schedules !== undefined && other !== undefined) {
    throw badUsage(
      `${name} has ${other} beside its schedules`,
      'Remove everything but the schedules; nothing was changed',
    )
  }
  // In YAML a key without a value is null, and people write it for an empty list.
  if (schedules === null) return []
  if (Array.isArray(schedules)) return schedules
  throw badUsage(`There are no schedules in ${name}`, 'The file needs {schedules: […]}, or a list; nothing was changed')
}

// Paths are relative to the file that has them.
async function readSchedule(given: unknown, label: string, folder: string): Promise<ReadSchedule> {
  const fields = isObject(given) ? given : {}
  const {pay} = fields
  if (isObject(pay)) return {fields, label, plan: checkPlan(pay)}
  if (typeof pay !== 'string' || pay === '') return {fields, label}
  const body = await readBody(path.resolve(folder, pay))
  return {fields, label, plan: checkPlan(coerceToSchema(body, planFile))}
}

function toWritten({fields, label, plan}: ReadSchedule, folder: string): WrittenSchedule {
  const {name, cron, zone, missed, paused, allowDuplicates, pay, payouts} = scheduleFrame.parse(fields)
  const common = {
    label,
    name,
    cron: cron.trim().split(/\s+/).join(' '),
    zone: parseZone(zone ?? zoneDefault, 'zone'),
    missed: missed ?? missedDefault,
    isPaused: paused ?? false,
    allowsDuplicates: allowDuplicates ?? false,
  }
  if (!plan) return {...common, kind: 'payouts', file: payouts ?? '', path: path.resolve(folder, payouts ?? '')}
  const {key} = plan.own
  return {
    ...common,
    kind: 'pay',
    plan,
    ...(typeof key === 'string' && {key}),
    ...(typeof pay === 'string' && {file: pay}),
  }
}

// `file` is a path, or - for standard input. All problems are reported at once.
export async function readScheduleFile(file: string, policy: WarningPolicy): Promise<WrittenSchedule[]> {
  const data = await readDataFile(file, {
    readNumber: (written) => new UntypedText(written),
    omitsBlanksExcept: ['schedules'],
  })
  const list = findList(data, file === '-' ? 'standard input' : file)
  const folder = file === '-' ? process.cwd() : path.dirname(path.resolve(file))
  const entries = coerceToSchema(list, scheduleInFile.array())
  const schedules: ReadSchedule[] = []
  for (const [index, each] of entries.entries()) {
    schedules.push(await readSchedule(each, `schedules[${index}]`, folder))
  }
  const nowMs = Date.now()
  const problems = schedules.flatMap((schedule) => {
    const ofFrame = findFrameProblems(schedule.fields, nowMs)
    const isTimed = !ofFrame.some(({path: field}) => field === 'cron' || field === 'zone')
    const all = [...ofFrame, ...findPlanProblems(schedule, nowMs, isTimed)]
    return all.map((problem) => ({...problem, path: joinPath(schedule.label, problem.path)}))
  })
  const shown = {
    schedules: schedules.map(({fields, plan}) => (plan ? {...fields, pay: {...plan.body, ...plan.own}} : fields)),
  }
  await rejectUnlessAccepted([...problems, ...findRepeated(schedules)], shown, policy)
  return schedules.map((schedule) => toWritten(schedule, folder))
}

// Checks the template of a key against the slots of its schedule: two slots with one key would be one payment.

// A third of a year of days: two slots that share a day or a month come soon after each other.
const slotsChecked = 120

const advice = 'leave it out for one that is made of the name and the slot'

function findKeyTemplateProblem(
  {cron, zone, key}: {cron: string; zone: string; key: string},
  nowMs: number,
): string | undefined {
  const fault = findKeyFault(key, {atMs: nowMs, zone})
  if (fault) return fault.what
  if (resolveKey(key, {atMs: nowMs, zone}).template === undefined) {
    return `has no placeholder, so all slots would be one payment; write one such as ${key}-{date}, or ${advice}`
  }
  const slotsByKey = new Map<string, Date>()
  for (const slot of listNextFirings(cron, nowMs, slotsChecked, zone)) {
    const slotKey = resolveKey(key, {atMs: slot.getTime(), zone}).key
    const other = slotsByKey.get(slotKey)
    if (other) return `is the same for the slots ${formatSlot(other)} and ${formatSlot(slot)}; ${advice}`
    slotsByKey.set(slotKey, slot)
  }
  return undefined
}
