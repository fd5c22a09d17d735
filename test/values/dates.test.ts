import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {calculateAge, toIsoDate, subtractMonths, validatePastDate} from '../../src/values/time.ts'

const today = '2026-11-15'
const day = fc
  .date({min: new Date('1900-01-01T00:00:00Z'), max: new Date('2100-12-31T00:00:00Z'), noInvalidDate: true})
  .map((instant) => toIsoDate(instant.getTime()))

describe('a date in the past', () => {
  it.each(['2026-11-15', '1900-01-01', '2024-02-29'])('may be %s', (past) => {
    expect(validatePastDate('dateOfBirth', past, today)).toBeUndefined()
  })

  it('is rejected from tomorrow on, and the message has the current date', () => {
    expect(validatePastDate('dateOfBirth', '2026-11-16', today)).toEqual({
      path: 'dateOfBirth',
      isWarning: true,
      message: 'is in the future: today is 2026-11-15',
    })
  })

  it.each(['2023-02-29', '2023-04-31', '2023-13-01', '23.04.1990', '1990-4-23', ''])(
    'is rejected if there is no such day: %j',
    (text) => {
      expect(validatePastDate('dateOfBirth', text, today)?.message).toContain('ISO 8601')
    },
  )
})

describe('an age', () => {
  it.each([
    ['2008-11-15', 18],
    ['2008-11-16', 17],
    ['2008-12-01', 17],
    ['2008-10-31', 18],
    ['2026-11-15', 0],
  ])('of a person born on %s is %d', (born, years) => {
    expect(calculateAge(today, born)).toBe(years)
  })

  it('of a person born on 29 February increases on 1 March', () => {
    expect(calculateAge('2026-02-28', '2008-02-29')).toBe(17)
    expect(calculateAge('2026-03-01', '2008-02-29')).toBe(18)
  })
})

describe('subtracting months', () => {
  it.each([
    ['2026-11-15', '2026-08-15'],
    ['2026-05-31', '2026-02-28'],
    ['2024-05-31', '2024-02-29'],
    ['2026-01-10', '2025-10-10'],
  ])('from %s gives, for three months, %s', (from, expected) => {
    expect(subtractMonths(from, 3)).toBe(expected)
  })

  it('gives the right month, and never a later day', () => {
    fc.assert(
      fc.property(day, fc.integer({min: 0, max: 36}), (from, months) => {
        const before = subtractMonths(from, months)
        const monthOf = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7))
        expect(monthOf(from) - monthOf(before)).toBe(months)
        expect(before <= from).toBe(true)
      }),
    )
  })
})
