// Describes a cron schedule in words, in UTC. A schedule that cannot be described exactly is shown as its expression.
import cronstrue from 'cronstrue'
import {capitalize, lowerFirst} from './text.ts'
import {monthNames} from './time.ts'

const workdays = '1,2,3,4,5'
const hoursInDay = 24
const daysInMonthMax = 31

const joinWords = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

// Groups 1, 2, 3, 7 as [1, 2, 3] and [7].
function groupConsecutive(values: readonly number[]): number[][] {
  const runs: number[][] = []
  for (const value of values) {
    const run = runs.at(-1)
    if (run && value === (run.at(-1) ?? 0) + 1) run.push(value)
    else runs.push([value])
  }
  return runs
}

const runLengthMin = 3
const stepsListedMax = 6

const isStepped = (values: readonly number[]) =>
  values.every(
    (value, index) => index === 0 || value - (values[index - 1] ?? 0) === (values[1] ?? 0) - (values[0] ?? 0),
  )

function describeValues(values: readonly number[], word: (value: number) => string): string {
  const runs = groupConsecutive(values)
  if (runs.length > stepsListedMax && isStepped(values)) {
    return `${values.slice(0, runLengthMin).map(word).join(', ')} and so on to ${word(values.at(-1) ?? 0)}`
  }
  return joinWords(
    runs.flatMap((run) =>
      run.length < runLengthMin ? run.map(word) : [`${word(run[0] ?? 0)} to ${word(run.at(-1) ?? 0)}`],
    ),
  )
}

const translateCron = (expression: string) =>
  cronstrue.toString(expression, {use24HourTimeFormat: true}).replace(', and ', ' and ')

// cronstrue describes special days correctly only if nothing else is restricted.
const describeSpecialDay = (expression: string) => translateCron(expression).replace(/^At 00:00, /, '')

const formatClock = (hour: number, minute: number) =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')

const minutesInHour = 60
const timesListedMax = 4
const timesListedApartMax = 12

// Minutes are listed if their step does not divide the hour: "every 7 minutes" would hide the shorter last step.
function describeMinutes(minutes: readonly number[]): string {
  const step = minutesInHour / minutes.length
  const isEven = minutes.length > 1 && minutes.every((minute, index) => minute === index * step)
  if (isEven) return lowerFirst(translateCron(step === 1 ? '* * * * *' : `*/${step} * * * *`))
  const list = groupConsecutive(minutes).map((run) =>
    run.length < runLengthMin ? run.join(',') : `${run[0]}-${run.at(-1)}`,
  )
  return lowerFirst(translateCron(`${list.join(',')} * * * *`))
}

// Either a few times of day, or a frequency within some hours.
function describeTime({minutes, hours}: CronFields): {at: string} | {often: string; within?: string} {
  const runs = groupConsecutive(hours.values)
  const count = minutes.values.length * hours.values.length
  if (count <= timesListedMax || (minutes.values.length === 1 && runs.length > 1 && count <= timesListedApartMax)) {
    return {at: joinWords(hours.values.flatMap((hour) => minutes.values.map((minute) => formatClock(hour, minute))))}
  }
  const often = describeMinutes(minutes.values)
  const [first = 0, last = 0] = [minutes.values[0], minutes.values.at(-1)]
  if (hours.values.length === hoursInDay) return {often}
  const spans = runs.map(
    (run) => `between ${formatClock(run[0] ?? 0, first)} and ${formatClock(run.at(-1) ?? 0, last)}`,
  )
  return {often, within: joinWords(spans)}
}

const dayOfMonthAlways = 28

function describeDaysOfMonth({days, months}: CronFields): string {
  const {values, special} = days
  const rare =
    values.length > 0 && values.every((day) => day > dayOfMonthAlways) && months.isAny && special.length === 0
  const plain = `on ${values.length === 1 ? 'day' : 'days'} ${describeValues(values, String)} of the month`
  return joinWords([
    ...(values.length > 0 ? [`${plain}${rare ? ' (in months that have it)' : ''}`] : []),
    ...special.map((part) => describeSpecialDay(`0 0 ${part} * *`)),
  ])
}

const sortMondayFirst = (values: readonly number[]) => values.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))

const describeEveryWeekday = (values: readonly number[]) =>
  values.join(',') === workdays
    ? 'every weekday'
    : `every ${joinWords(sortMondayFirst(values).map((day) => weekdayNames[day] ?? ''))}`

const describeWeekdays = ({weekdays: {values, special}}: CronFields) =>
  joinWords([
    ...(values.length > 0 ? [describeEveryWeekday(values)] : []),
    ...special.map((part) => describeSpecialDay(`0 0 * * ${part}`)),
  ])

const isEveryDay = ({values}: CronField, count: number) => values.length === count

// Undefined if it fires every day.
function describeDays(schedule: CronFields): string | undefined {
  const {days, weekdays, needsBothDays} = schedule
  const [anyDay, anyWeekday] = [isEveryDay(days, daysInMonthMax), isEveryDay(weekdays, weekdayNames.length)]
  if (days.isAny || (needsBothDays && anyDay)) return anyWeekday ? undefined : describeWeekdays(schedule)
  if (weekdays.isAny || (needsBothDays && anyWeekday)) return anyDay ? undefined : describeDaysOfMonth(schedule)
  if (anyDay || anyWeekday) return undefined
  if (needsBothDays) return `${describeDaysOfMonth(schedule)}, only where it falls on ${describeOnlyOn(schedule)}`
  return `${describeDaysOfMonth(schedule)} and also ${describeWeekdays(schedule)}`
}

const describeOnlyOn = ({weekdays: {values, special}}: CronFields) =>
  [
    ...values.map((day) => `a ${weekdayNames[day]}`),
    ...special.map((part) => describeSpecialDay(`0 0 * * ${part}`).replace(/^on /, '')),
  ].join(' or ')

function describeMonths({months: {values}}: CronFields): string | undefined {
  if (values.length === monthNames.length) return undefined
  const words = describeValues(values, (month) => monthNames[month - 1] ?? '')
  return /^\w+ to \w+$/.test(words) ? `from ${words}` : `in ${words}`
}

function describeFields(schedule: CronFields): string {
  const [time, days, month] = [describeTime(schedule), describeDays(schedule), describeMonths(schedule)]
  if ('at' in time) {
    const when = [days ?? 'every day', month].filter((words) => words !== undefined).join(', ')
    const isLong = month !== undefined || when.includes(' and also ') || when.includes(', ')
    return `${when}${isLong ? ',' : ''} at ${time.at} UTC`
  }
  const {often, within} = time
  const rest = [within && `${within} UTC`, days, month].filter((words) => words !== undefined)
  const zone = within === undefined && rest.length > 0 ? ' (in UTC)' : ''
  return [often, ...rest].join(', ') + zone
}

// Starts with a capital and has no full stop, such as: Every weekday at 09:00 UTC
export function describeSchedule(expression: string): string {
  const fallback = `On the schedule "${expression.trim()}" (cron, in UTC)`
  try {
    const schedule = parseCronFields(expression)
    return schedule ? capitalize(describeFields(schedule)) : fallback
  } catch {
    // A schedule that cronstrue cannot describe may still be valid.
    return fallback
  }
}

// Parses a cron expression into the values of its five fields.
const weekdayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

// The five fields in order. `special` matches days that depend on the month, such as L, 15W or 5#2.
const fieldFormats = [
  {name: 'minutes', min: 0, max: 59},
  {name: 'hours', min: 0, max: 23},
  {name: 'days', min: 1, max: 31, special: /^(L|LW|\d{1,2}W)$/},
  {name: 'months', min: 1, max: 12, named: monthNames},
  {name: 'weekdays', min: 0, max: 6, named: weekdayNames, special: /^[0-7](L|#[1-5])$/},
] as const

interface FieldFormat {
  name: string
  min: number
  max: number
  named?: readonly string[]
  special?: RegExp
}

interface CronField {
  // Whether the field is a plain *.
  isAny: boolean
  values: readonly number[]
  // Days that depend on the month.
  special: readonly string[]
}

interface CronFields {
  minutes: CronField
  hours: CronField
  days: CronField
  months: CronField
  weekdays: CronField
  // If both days and weekdays are restricted, cron fires on either (docs/assumptions.md, R13). A + before the weekdays
  // requires both.
  needsBothDays: boolean
}

const shortNameLength = 3

// Replaces names such as MON or JAN by their numbers.
function replaceNames(part: string, {named = [], min}: FieldFormat): string {
  return part.replaceAll(/[A-Z]{3}/g, (name) => {
    const index = named.findIndex((long) => long.slice(0, shortNameLength).toUpperCase() === name)
    return index === -1 ? name : String(index + min)
  })
}

const valuePattern = /^(?:(?<star>\*)|(?<from>\d{1,2})(?:-(?<to>\d{1,2}))?)(?:\/(?<step>\d{1,2}))?$/

function listValues(part: string, {min, max, name}: FieldFormat): number[] | undefined {
  const {star, from, to, step = '1'} = valuePattern.exec(part)?.groups ?? {}
  if (star === undefined && from === undefined) return undefined
  const first = star ? min : Number(from)
  const last = star ? max : Number(to ?? from)
  // A step after a single number, such as 5/15, has more than one meaning.
  if (Number(step) === 0 || (part.includes('/') && !star && to === undefined)) return undefined
  const values: number[] = []
  // Sunday is both 0 and 7.
  for (let value = first; value <= last; value += Number(step)) values.push(name === 'weekdays' ? value % 7 : value)
  return values
}

function parseField(text: string, field: FieldFormat): CronField | undefined {
  const parts = text.split(',').map((part) => replaceNames(part, field))
  const special = parts.filter((part) => field.special?.test(part))
  const lists = parts.filter((part) => !special.includes(part)).map((part) => listValues(part, field))
  if (lists.includes(undefined)) return undefined
  const values = [...new Set(lists.flatMap((list) => list ?? []))].toSorted((a, b) => a - b)
  return {isAny: text === '*', values, special}
}

// Undefined if the expression uses syntax that is not supported here.
export function parseCronFields(expression: string): CronFields | undefined {
  const texts = expression.trim().toUpperCase().replaceAll('?', '*').split(/\s+/)
  if (texts.length !== fieldFormats.length) return undefined
  const needsBothDays = texts[4]?.startsWith('+') ?? false
  const parsed = fieldFormats.map((field, index) => [
    field.name,
    parseField(texts[index]?.replace(/^\+/, '') ?? '', field),
  ])
  return parsed.every(([, field]) => field) ? ({...Object.fromEntries(parsed), needsBothDays} as CronFields) : undefined
}
