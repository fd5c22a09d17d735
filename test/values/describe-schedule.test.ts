import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {describeSchedule} from '../../src/values/describe-schedule.ts'
import {anySchedule} from '../rules/schedules.ts'

describe('the description of a schedule', () => {
  it('is in words, with the expression, which is exact', () => {
    expect(describeSchedule('0 9 * * 1-5')).toBe('At 09:00, Monday through Friday (0 9 * * 1-5, UTC)')
    expect(describeSchedule('soon')).toBe('On the schedule soon (UTC)')
  })

  it('exists whatever the text, and always has it', () => {
    fc.assert(
      fc.property(fc.oneof(anySchedule, fc.string()), (text) => {
        expect(describeSchedule(text)).toContain(text)
      }),
    )
  })
})
