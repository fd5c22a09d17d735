// The next firing of a schedule is the same in whatever order it is asked for.
import {Cron} from 'croner'
import {describe, expect, it} from 'vitest'
import {getNextFiring, validateSchedule} from '../../src/values/schedules.ts'

const noonMs = Date.parse('2026-11-15T12:00:00Z')
const secondMs = 1_000
const dayMs = 86_400 * secondMs
// Around a firing, within a second, and back again.
const offsetsMs = [0, 1, 999, secondMs, 59 * secondMs, 60 * secondMs, -1, -61 * secondMs, dayMs, 0, -dayMs, 40 * dayMs]
const expressions = ['0 9 * * 1-5', '*/7 * * * *', '0 0 29 2 *', '15,45 */3 1-7 * MON', '0 12 * * *', '* * * * *']

describe('the next firing', () => {
  it.each(expressions)('of %s is that of croner, also for earlier instants', (expression) => {
    const schedule = new Cron(expression, {mode: '5-part', timezone: 'UTC'})
    const instants = [noonMs, noonMs + 9 * dayMs, noonMs - 22 * dayMs].flatMap((startMs) =>
      offsetsMs.map((offsetMs) => startMs + offsetMs),
    )
    expect(instants.map((atMs) => getNextFiring(expression, atMs))).toEqual(
      instants.map((atMs) => schedule.nextRun(new Date(atMs)) ?? undefined),
    )
  })
})

describe('A schedule that cannot be', () => {
  it.each([
    ['0 25 * * *', 'has "25" for the hour, which is 0 to 23'],
    ['60 9 * * *', 'has "60" for the minute, which is 0 to 59'],
    ['0 9 0 * *', 'has "0" for the day of the month, which is 1 to 31'],
    ['0 9 * 13 *', 'has "13" for the month, which is 1 to 12 or JAN to DEC'],
    ['0 9 * * 1-9', 'has "1-9" for the weekday, which is 0 to 7 or SUN to SAT'],
    ['0 9 * * MOO', 'has "MOO" for the weekday, which is 0 to 7 or SUN to SAT'],
    ['0 9 * *', 'is not a cron expression of five fields, such as "0 9 * * 1-5"'],
    ['0 9 * * * *', 'is not a cron expression of five fields, such as "0 9 * * 1-5"'],
  ])('says which field is wrong, and its range: %s', (expression, message) => {
    expect(validateSchedule('cron', expression, noonMs)).toEqual({path: 'cron', message})
  })
})
