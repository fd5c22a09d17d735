// Schedules: what cannot be is refused, and the words always have the expression.
import * as fc from 'fast-check'
import {expect, it} from 'vitest'
import {describeSchedule} from '../../../src/values/describe-schedule.ts'
import {validateSchedule} from '../../../src/values/schedules.ts'
import {anySchedule} from '../rules/schedules.ts'
import {seed} from '../../support/seed.ts'

const noonMs = Date.parse('2026-11-15T12:00:00Z')
it.each([
  ['0 25 * * *', 'its hour cannot be "25"'],
  ['60 9 * * *', 'its minute cannot be "60"'],
  ['0 9 0 * *', 'its day of the month cannot be "0"'],
  ['0 9 * 13 *', 'its month cannot be "13"'],
  ['0 9 * * 1-9', 'its day of the week cannot be "1-9"'],
  ['0 9 * * MOO', 'its day of the week cannot be "MOO"'],
  ['61 25 * * *', 'its minute cannot be "61", its hour cannot be "25"'],
  ['0 9 * *', 'it has 4 fields'],
  ['0 9 * * * *', 'it has 6 fields'],
])('the schedule %s, which cannot be, is refused: %s', (expression, why) => {
  const message = `is not a valid cron expression of five fields, such as "0 9 * * 1-5": ${why}`
  expect(validateSchedule('cron', expression, noonMs)).toEqual({path: 'cron', message})
})

it('a schedule is described in words, with the expression, which is exact, whatever the text', () => {
  expect(describeSchedule('0 9 * * 1-5')).toBe('At 09:00, Monday through Friday (0 9 * * 1-5, UTC)')
  fc.assert(
    fc.property(fc.oneof(anySchedule, fc.string()), (text) => {
      expect(describeSchedule(text)).toContain(text)
    }),
    {seed},
  )
})
