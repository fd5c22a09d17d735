// Asks when a rule fires: a preset and a time, or a cron expression. Each prompt shows what the schedule means.
import {findCronExtension, validateSchedule} from '../../values/schedules.ts'
import {formatFiring, listFirings, toFiring} from '../firings.ts'
import {describeSchedule} from '../describe-schedule.ts'
import {NavigationRequest} from '../../cli/wizard/navigation.ts'
import {askLine} from '../../cli/wizard/line-prompt.ts'
import {askSelect} from '../../cli/wizard/select-prompts.ts'

const firingsShown = 5

// The description of a schedule, followed by its next firings.
export function explainSchedule(expression: string, nowMs: number): string[] {
  const firings = listFirings(expression, nowMs, firingsShown) ?? []
  return [describeSchedule(expression), ...firings.map((instant) => `  ${formatFiring(toFiring(instant))}`)]
}

interface SchedulePreset {
  name: string
  // The cron fields for days of the month, months and weekdays. DAY is replaced by the answer.
  days: string
  asks?: 'weekday' | 'day'
  // Fires at every full hour, so no time is asked for.
  isHourly?: true
}

// The presets avoid extensions that only some cron dialects have, such as L for the last day. The interface promises only
// five fields.
const presets: readonly SchedulePreset[] = [
  {name: 'Every weekday, Monday to Friday', days: '* * 1-5'},
  {name: 'Every day', days: '* * *'},
  {name: 'Every week, on one day', days: '* * DAY', asks: 'weekday'},
  {name: 'Every month, on its first day', days: '1 * *'},
  {name: 'Every month, on another day', days: 'DAY * *', asks: 'day'},
  {name: 'Every hour', days: '* * *', isHourly: true},
]

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
// The last day that every month has. Later days would be skipped in February.
const dayOfMonthMax = 28
const timeDefault = '09:00'

const customExpression = 'custom'

// Accepts 9, 9:30 and 09:30.
const timePattern = /^([01]?\d|2[0-3])(?:[:.]([0-5]\d))?$/

function parseTime(text: string): {hour: number; minute: number} | undefined {
  const [, hour, minute = '0'] = timePattern.exec(text) ?? []
  return hour === undefined ? undefined : {hour: Number(hour), minute: Number(minute)}
}

function toExpression({days}: SchedulePreset, day: string, time: string): string {
  const {hour = 0, minute = 0} = parseTime(time) ?? {}
  return `${minute} ${hour} ${days.replace('DAY', day)}`
}

const hourly = '0 * * * *'

interface PickedPreset {
  preset: SchedulePreset
  day: string
  time: string
}

// Finds the preset that gives this expression, to offer it again.
function findPickedPreset(expression: string): PickedPreset | undefined {
  const [minute = '', hour = '', ...rest] = expression.split(' ')
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  for (const preset of presets) {
    if (preset.isHourly && expression === hourly) return {preset, day: '', time: timeDefault}
    const pattern = new RegExp(`^${preset.days.replaceAll('*', String.raw`\*`).replace('DAY', String.raw`(\d+)`)}$`)
    const [found, day = ''] = pattern.exec(rest.join(' ')) ?? []
    if (found !== undefined && parseTime(time)) return {preset, day, time}
  }
  return undefined
}

const askDay = ({asks}: SchedulePreset, offered: string | undefined): Promise<string> => {
  if (asks === 'weekday') {
    const choices = weekdays.map((name, index) => ({name, value: String((index + 1) % weekdays.length)}))
    return askSelect('On which day?', choices, offered)
  }
  return askLine({
    message: 'On which day of the month:',
    hint: `from 1 to ${dayOfMonthMax}, the last that every month has`,
    initial: offered,
    check: (text) =>
      /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= dayOfMonthMax
        ? undefined
        : `It must be a day from 1 to ${dayOfMonthMax}`,
  }).then((text) => String(Number(text)))
}

const askTime = (preset: SchedulePreset, day: string, offered: string, nowMs: number): Promise<string> =>
  askLine({
    message: 'At what time, in UTC:',
    initial: offered,
    check: (text) => (parseTime(text) ? undefined : 'It must be a time, such as 09:00 or 17:30'),
    explain: (text) => explainSchedule(toExpression(preset, day, text), nowMs).join('\n'),
  })

const askExpression = (offered: string | undefined, nowMs: number): Promise<string> =>
  askLine({
    message: 'Cron expression:',
    hint: 'minute, hour, day of the month, month, weekday; in UTC, such as 0 9 * * 1-5',
    initial: offered,
    check: (text) => {
      if (text === '') return 'It is required'
      const problem = validateSchedule('', text, nowMs)
      return problem && !problem.isWarning ? `It ${problem.message}` : undefined
    },
    warn: (text) => {
      const warning = validateSchedule('', text, nowMs) ?? findCronExtension('', text)
      return warning?.isWarning ? `It ${warning.message}` : undefined
    },
    explain: (text) => explainSchedule(text, nowMs).join('\n'),
  })

// Returns undefined if the person goes back, so that the previous prompt of this question is shown again.
async function askOrGoBack<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof NavigationRequest && error.navigation === 'back') return undefined
    throw error
  }
}

async function completePreset(
  preset: SchedulePreset,
  picked: PickedPreset | undefined,
  nowMs: number,
): Promise<string | undefined> {
  if (preset.isHourly) return hourly
  for (;;) {
    const day = preset.asks
      ? await askOrGoBack(() => askDay(preset, picked?.preset === preset ? picked.day : undefined))
      : ''
    if (day === undefined) return undefined
    const time = await askOrGoBack(() => askTime(preset, day, picked?.time ?? timeDefault, nowMs))
    if (time !== undefined) return toExpression(preset, day, time)
    if (!preset.asks) return undefined
  }
}

export async function askSchedule(current: unknown, nowMs: number): Promise<string> {
  const expression = typeof current === 'string' ? current : undefined
  const picked = expression === undefined ? undefined : findPickedPreset(expression)
  let offered: SchedulePreset | typeof customExpression | undefined =
    picked?.preset ?? (expression === undefined ? undefined : customExpression)
  for (;;) {
    const choices = [
      ...presets.map((preset) => ({name: preset.name, value: preset})),
      {name: 'Another schedule, as a cron expression', value: customExpression},
    ] as const
    const chosen = await askSelect<SchedulePreset | typeof customExpression>('How often?', choices, offered)
    offered = chosen
    const answer =
      chosen === customExpression
        ? await askOrGoBack(() => askExpression(picked ? undefined : expression, nowMs))
        : await completePreset(chosen, picked, nowMs)
    if (answer !== undefined) return answer
  }
}
