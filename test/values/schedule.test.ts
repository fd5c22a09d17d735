// Schedules: the next firing is the same in whatever order it is asked for, and the words always have the expression.
import {Cron} from 'croner'
import * as fc from 'fast-check'
import {expect, it} from 'vitest'
import {describeSchedule} from '../../src/values/describe-schedule.ts'
import {getNextFiring, validateSchedule} from '../../src/values/schedules.ts'
import {anySchedule} from '../rules/schedules.ts'

const noonMs = Date.parse('2026-11-15T12:00:00Z')
const secondMs = 1_000
const dayMs = 86_400 * secondMs
// Around a firing, within a second, and back again.
const offsetsMs = [0, 1, 999, secondMs, 59 * secondMs, 60 * secondMs, -1, -61 * secondMs, dayMs, 0, -dayMs, 40 * dayMs]
const expressions = ['0 9 * * 1-5', '*/7 * * * *', '0 0 29 2 *', '15,45 */3 1-7 * MON', '0 12 * * *', '* * * * *']

it.each(expressions)('the next firing of %s is that of croner, also for earlier instants', (expression) => {
  const schedule = new Cron(expression, {mode: '5-part', timezone: 'UTC'})
  const instants = [noonMs, noonMs + 9 * dayMs, noonMs - 22 * dayMs].flatMap((startMs) =>
    offsetsMs.map((offsetMs) => startMs + offsetMs),
  )
  expect(instants.map((atMs) => getNextFiring(expression, atMs))).toEqual(
    instants.map((atMs) => schedule.nextRun(new Date(atMs)) ?? undefined),
  )
})

it.each([
  '0 25 * * *',
  '60 9 * * *',
  '0 9 0 * *',
  '0 9 * 13 *',
  '0 9 * * 1-9',
  '0 9 * * MOO',
  '0 9 * *',
  '0 9 * * * *',
])('the schedule %s, which cannot be, is refused', (expression) => {
  const message = 'is not a cron expression of five fields, such as "0 9 * * 1-5"'
  expect(validateSchedule('cron', expression, noonMs)).toEqual({path: 'cron', message})
})

it('a schedule is described in words, with the expression, which is exact, whatever the text', () => {
  expect(describeSchedule('0 9 * * 1-5')).toBe('At 09:00, Monday through Friday (0 9 * * 1-5, UTC)')
  fc.assert(
    fc.property(fc.oneof(anySchedule, fc.string()), (text) => {
      expect(describeSchedule(text)).toContain(text)
    }),
  )
})
