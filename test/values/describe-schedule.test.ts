// Descriptions of cron schedules agree with croner, which fires them.
import {Cron} from 'croner'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {describeSchedule, parseCronFields} from '../../src/values/describe-schedule.ts'
import {anySchedule, plainSchedule} from '../rules/schedules.ts'

const croner = (expression: string) => new Cron(expression, {mode: '5-part', timezone: 'UTC'})

const isOn = (expression: string, instant: Date): boolean | undefined => {
  const schedule = parseCronFields(expression)
  if (!schedule) return undefined
  const {minutes, hours, days, months, weekdays, needsBothDays} = schedule
  const [onDay, onWeekday] = [days.values.includes(instant.getUTCDate()), weekdays.values.includes(instant.getUTCDay())]
  const needsBoth = needsBothDays || days.isAny || weekdays.isAny
  return (
    minutes.values.includes(instant.getUTCMinutes()) &&
    hours.values.includes(instant.getUTCHours()) &&
    months.values.includes(instant.getUTCMonth() + 1) &&
    (needsBoth ? onDay && onWeekday : onDay || onWeekday)
  )
}

const sometime = fc
  .date({min: new Date('2026-01-01T00:00:00Z'), max: new Date('2032-12-31T00:00:00Z'), noInvalidDate: true})
  .map((date) => new Date(Math.floor(date.getTime() / 60_000) * 60_000))

describe('the description of a schedule', () => {
  it.each([
    ['0 9 * * *', 'Every day at 09:00 UTC'],
    ['0 9 * * 1-5', 'Every weekday at 09:00 UTC'],
    ['0 9 * * MON,wed', 'Every Monday and Wednesday at 09:00 UTC'],
    ['0 9 * * 6,0', 'Every Saturday and Sunday at 09:00 UTC'],
    ['0 9 * * 7', 'Every Sunday at 09:00 UTC'],
    ['0 9,17 * * *', 'Every day at 09:00 and 17:00 UTC'],
    ['00 09 01 * ?', 'On day 1 of the month at 09:00 UTC'],
    ['0 9 1,15 * *', 'On days 1 and 15 of the month at 09:00 UTC'],
    ['0 9 1 */3 *', 'On day 1 of the month, in January, April, July and October, at 09:00 UTC'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['*/5 9-17 * * 1-5', 'Every 5 minutes, between 09:00 and 17:55 UTC, every weekday'],
    ['0 * * * 1', 'Every hour, every Monday (in UTC)'],
    ['* * * * *', 'Every minute'],
  ])('%s is "%s"', (expression, words) => {
    expect(describeSchedule(expression)).toBe(words)
  })

  it.each([
    [
      'of a day of the month and a weekday, either',
      '0 9 1 * 1',
      'On day 1 of the month and also every Monday, at 09:00 UTC',
    ],
    [
      'that a plus asks for both',
      '0 9 13 * +5',
      'On day 13 of the month, only where it falls on a Friday, at 09:00 UTC',
    ],
    ['that all days and a weekday are all days', '0 9 1-31 * 1', 'Every day at 09:00 UTC'],
    [
      'that seven does not divide an hour',
      '*/7 * * * *',
      'At 0, 7, 14, 21, 28, 35, 42, 49 and 56 minutes past the hour',
    ],
    ['that five does not divide a day', '0 */5 * * *', 'Every day at 00:00, 05:00, 10:00, 15:00 and 20:00 UTC'],
    [
      'that a step of days starts again each month',
      '0 9 */2 * *',
      'On days 1, 3, 5 and so on to 31 of the month, at 09:00 UTC',
    ],
    [
      'that five does not divide a year',
      '0 0 1 */5 *',
      'On day 1 of the month, in January, June and November, at 00:00 UTC',
    ],
    ['that some months are too short', '0 9 31 * *', 'On day 31 of the month (in months that have it) at 09:00 UTC'],
    [
      'which hours every minute is in',
      '* 9,17 * * *',
      'Every minute, between 09:00 and 09:59 and between 17:00 and 17:59 UTC',
    ],
    ['that sixty minutes are an hour', '*/60 * * * *', 'Every hour'],
    ['the last day', '0 9 L * *', 'On the last day of the month at 09:00 UTC'],
    ['the nearest weekday', '0 9 15W * *', 'On the weekday nearest day 15 of the month at 09:00 UTC'],
    ['the second Friday', '0 9 * * 5#2', 'On the second Friday of the month at 09:00 UTC'],
  ])('includes %s', (_, expression, words) => {
    expect(describeSchedule(expression)).toBe(words)
  })

  it.each(['5/15 * * * *', '0 9 15L * *', '@daily', 'whenever it suits', ''])(
    'repeats %j, which is not supported',
    (expression) => {
      expect(describeSchedule(expression)).toBe(`On the schedule "${expression}" (cron, in UTC)`)
    },
  )

  it('interprets the fields of a schedule as croner does', () => {
    fc.assert(
      fc.property(plainSchedule, fc.array(sometime, {maxLength: 20}), (expression, instants) => {
        const schedule = croner(expression)
        const fired = schedule.nextRuns(3, new Date('2026-01-01T00:00:00Z'))
        for (const instant of [...instants, ...fired]) expect(isOn(expression, instant)).toBe(schedule.match(instant))
      }),
      {numRuns: 300},
    )
  })

  it('exists for every schedule that croner accepts', () => {
    fc.assert(
      fc.property(anySchedule, (expression) => {
        croner(expression)
        expect(describeSchedule(expression)).toMatch(/^[A-Z](?!.*(undefined|NaN|schedule)).* ?\S$/)
      }),
      {numRuns: 500},
    )
  })

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(describeSchedule(text)).toMatch(/^\S/)
      }),
    )
  })
})
