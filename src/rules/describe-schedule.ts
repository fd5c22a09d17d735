// A cron schedule in words, in UTC: either they are exact, or they are the expression itself.
import cronstrue from 'cronstrue'

const names = (text: string) => text.split(' ')
const months = names('January February March April May June July August September October November December')
const weekdays = names('Sunday Monday Tuesday Wednesday Thursday Friday Saturday')
const weekdaysOfWork = '1,2,3,4,5'

// The five fields in their order: their least and greatest values, the names that stand for some, and what else a day may be.
const fields = [
  {name: 'minutes', min: 0, max: 59},
  {name: 'hours', min: 0, max: 23},
  {name: 'days', min: 1, max: 31, special: /^(L|LW|\d{1,2}W)$/},
  {name: 'months', min: 1, max: 12, named: months},
  {name: 'weekdays', min: 0, max: 6, named: weekdays, special: /^[0-7](L|#[1-5])$/},
] as const

interface FieldFormat {
  name: string
  min: number
  max: number
  named?: readonly string[]
  special?: RegExp
}

interface CronField {
  // Whether it is a bare star, which says nothing about the days.
  isAny: boolean
  values: readonly number[]
  // Days that depend on the month, such as L, 15W or 5#2.
  special: readonly string[]
}

export interface CronFields {
  minutes: CronField
  hours: CronField
  days: CronField
  months: CronField
  weekdays: CronField
  // Where both days and weekdays are given, cron fires on either (docs/assumptions.md, R13); a plus before the weekdays asks
  // for both.
  needsBothDays: boolean
}

const shortNameLength = 3

// A name such as MON or JAN by its number.
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
  // What follows a lone number and a step, such as 5/15, is read in more than one way.
  if (Number(step) === 0 || (part.includes('/') && !star && to === undefined)) return undefined
  const values: number[] = []
  // A week may begin and end with Sunday.
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

// What a schedule says, field by field; undefined where it says more than is understood here.
export function parseCronFields(expression: string): CronFields | undefined {
  const texts = expression.trim().toUpperCase().replaceAll('?', '*').split(/\s+/)
  if (texts.length !== fields.length) return undefined
  const needsBothDays = texts[4]?.startsWith('+') ?? false
  const read = fields.map((field, index) => [field.name, parseField(texts[index]?.replace(/^\+/, '') ?? '', field)])
  return read.every(([, field]) => field) ? ({...Object.fromEntries(read), needsBothDays} as CronFields) : undefined
}

const joinWords = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

// Consecutive values together: 1, 2, 3, 7 is [1, 2, 3] and [7].
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

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const translateCron = (expression: string) =>
  cronstrue.toString(expression, {use24HourTimeFormat: true}).replace(', and ', ' and ')

// Alone, what is special about a day leaves cronstrue nothing to misread.
const describeSpecialDay = (expression: string) => translateCron(expression).replace(/^At 00:00, /, '')

const formatClock = (hour: number, minute: number) =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')

const minutesInHour = 60
const timesListedMax = 4
const timesListedApartMax = 12

// A step that does not divide the hour is uneven at its end, which "every 7 minutes" would hide: it is listed.
function describeMinutes(minutes: readonly number[]): string {
  const step = minutesInHour / minutes.length
  const isEven = minutes.length > 1 && minutes.every((minute, index) => minute === index * step)
  if (isEven) return lowerFirst(translateCron(step === 1 ? '* * * * *' : `*/${step} * * * *`))
  const list = groupConsecutive(minutes).map((run) =>
    run.length < runLengthMin ? run.join(',') : `${run[0]}-${run.at(-1)}`,
  )
  return lowerFirst(translateCron(`${list.join(',')} * * * *`))
}

// Either a few times of the day, or how often within which hours.
function describeTime({minutes, hours}: CronFields): {at: string} | {often: string; within?: string} {
  const runs = groupConsecutive(hours.values)
  const count = minutes.values.length * hours.values.length
  if (count <= timesListedMax || (minutes.values.length === 1 && runs.length > 1 && count <= timesListedApartMax)) {
    return {at: joinWords(hours.values.flatMap((hour) => minutes.values.map((minute) => formatClock(hour, minute))))}
  }
  const often = describeMinutes(minutes.values)
  const [first = 0, last = 0] = [minutes.values[0], minutes.values.at(-1)]
  if (hours.values.length === fields[1].max + 1) return {often}
  const spans = runs.map(
    (run) => `between ${formatClock(run[0] ?? 0, first)} and ${formatClock(run.at(-1) ?? 0, last)}`,
  )
  return {often, within: joinWords(spans)}
}

const dayOfEveryMonth = 28

function describeDaysOfMonth({days, months: inMonths}: CronFields): string {
  const {values, special} = days
  const rare =
    values.length > 0 && values.every((day) => day > dayOfEveryMonth) && inMonths.isAny && special.length === 0
  const plain = `on ${values.length === 1 ? 'day' : 'days'} ${describeValues(values, String)} of the month`
  return joinWords([
    ...(values.length > 0 ? [`${plain}${rare ? ' (in months that have it)' : ''}`] : []),
    ...special.map((part) => describeSpecialDay(`0 0 ${part} * *`)),
  ])
}

const sortMondayFirst = (values: readonly number[]) => values.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))

const describeEveryWeekday = (values: readonly number[]) =>
  values.join(',') === weekdaysOfWork
    ? 'every weekday'
    : `every ${joinWords(sortMondayFirst(values).map((day) => weekdays[day] ?? ''))}`

const describeWeekdays = ({weekdays: {values, special}}: CronFields) =>
  joinWords([
    ...(values.length > 0 ? [describeEveryWeekday(values)] : []),
    ...special.map((part) => describeSpecialDay(`0 0 * * ${part}`)),
  ])

const isEveryDay = ({values}: CronField, count: number) => values.length === count

// Undefined where it fires on every day.
function describeDays(schedule: CronFields): string | undefined {
  const {days, weekdays: ofWeek, needsBothDays} = schedule
  const [anyDay, anyWeekday] = [isEveryDay(days, fields[2].max), isEveryDay(ofWeek, weekdays.length)]
  if (days.isAny || (needsBothDays && anyDay)) return anyWeekday ? undefined : describeWeekdays(schedule)
  if (ofWeek.isAny || (needsBothDays && anyWeekday)) return anyDay ? undefined : describeDaysOfMonth(schedule)
  if (anyDay || anyWeekday) return undefined
  if (needsBothDays) return `${describeDaysOfMonth(schedule)}, only where it falls on ${describeOnlyOn(schedule)}`
  return `${describeDaysOfMonth(schedule)} and also ${describeWeekdays(schedule)}`
}

const describeOnlyOn = ({weekdays: {values, special}}: CronFields) =>
  [
    ...values.map((day) => `a ${weekdays[day]}`),
    ...special.map((part) => describeSpecialDay(`0 0 * * ${part}`).replace(/^on /, '')),
  ].join(' or ')

function describeMonths({months: {values}}: CronFields): string | undefined {
  if (values.length === months.length) return undefined
  const words = describeValues(values, (month) => months[month - 1] ?? '')
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

// Begins with a capital and has no full stop, as in: Every weekday at 09:00 UTC.
export function describeSchedule(expression: string): string {
  const asItIs = `On the schedule "${expression.trim()}" (cron, in UTC)`
  try {
    const schedule = parseCronFields(expression)
    return schedule ? capitalize(describeFields(schedule)) : asItIs
  } catch {
    // The words are for reading; a schedule that cronstrue cannot say is still one that croner fires.
    return asItIs
  }
}
