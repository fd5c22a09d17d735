// Instants, dates in headers, calendar dates and durations.
import * as fc from 'fast-check'
import {describe, expect, it, onTestFinished} from 'vitest'
import {
  calculateAge,
  parseDuration,
  readHttpDateMs,
  subtractMonths,
  toInstantMs,
  validatePastDate,
} from '../../../src/values/time.ts'
import {seed} from '../../support/seed.ts'

const noon = Date.UTC(2026, 10, 1, 12, 0, 0)
const today = '2026-11-15'

describe('an instant', () => {
  it.each([
    '2026-11-01T12:00:00Z',
    '2026-11-01T12:00Z',
    '2026-11-01T12:00:00.000000Z',
    '2026-11-01t12:00:00z',
    '2026-11-01 12:00:00',
    '2026-11-01T13:00:00+01:00',
    '2026-11-01T06:30:00-0530',
    '2026-11-01T13:00:00+01',
  ])('is parsed from %s', (text) => expect(toInstantMs(text)).toBe(noon))

  it.each(['UTC', 'Asia/Tokyo', 'America/Los_Angeles'])(
    'without an offset is one of UTC on a machine in %s',
    (zone) => {
      const before = process.env['TZ']
      process.env['TZ'] = zone
      onTestFinished(() => void (before === undefined ? delete process.env['TZ'] : (process.env['TZ'] = before)))
      expect([toInstantMs('2026-11-01T12:00:00'), toInstantMs('2026-11-01')]).toEqual([noon, Date.UTC(2026, 10, 1)])
    },
  )

  it.each(['', '2026', '2026-11', '2026-02-30', '2026-11-00', '2026-13-01', '2026-11-01T25:00Z', 1793534400, null, {}])(
    'is not parsed from %j',
    (value) => expect(toInstantMs(value)).toBeUndefined(),
  )
})

// Without a zone, or no date at all, it is not believed.
it.each([
  ['Sun, 01 Nov 2026 12:00:00 GMT', noon],
  ['Sunday, 01-Nov-26 12:00:00 GMT', noon],
  ['Sun, 01 Nov 2026 12:00:00', undefined],
  ['Sun Nov  1 12:00:00 2026', undefined],
  ['12', undefined],
  ['Sun, GMT', undefined],
  [null, undefined],
])('a date in a header %j is %s', (text, instant) => expect(readHttpDateMs(text)).toBe(instant))

it.each([
  ['', [today, '2024-02-29']],
  ['is in the future: today is 2026-11-15', ['2026-11-16']],
  ['ISO 8601', ['2023-02-29', '2023-13-01', '23.04.1990', '1990-4-23', '']],
])('a date in the past has the problem “%s”: %j', (problem, days) => {
  for (const day of days) {
    const message = validatePastDate('dateOfBirth', day, today)?.message ?? ''
    expect([day, problem === '' ? message === '' : message.includes(problem)]).toEqual([day, true])
  }
})

it.each([
  [today, '2008-11-15', 18],
  [today, '2008-11-16', 17],
  [today, '2008-12-01', 17],
  [today, today, 0],
  ['2026-02-28', '2008-02-29', 17],
  ['2026-03-01', '2008-02-29', 18],
])('an age on %s of a person born on %s is %d', (day, born, years) => expect(calculateAge(day, born)).toBe(years))

describe('subtracting months', () => {
  it.each([
    ['2026-05-31', '2026-02-28'],
    ['2024-05-31', '2024-02-29'],
    ['2026-01-10', '2025-10-10'],
  ])('from %s gives, for three months, %s', (from, expected) => expect(subtractMonths(from, 3)).toBe(expected))
})

describe('a duration', () => {
  const unitsMs = {ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, '': 1000}
  const msMax = 24 * unitsMs.d

  it('is its number times its unit, for every number and unit in range', () => {
    const units = fc.constantFrom(...(Object.keys(unitsMs) as Array<keyof typeof unitsMs>))
    fc.assert(
      fc.property(fc.integer({min: 1, max: msMax}), units, (number, unit) => {
        fc.pre(number * unitsMs[unit] <= msMax)
        expect(parseDuration(`${number}${unit}`, '--timeout')).toBe(number * unitsMs[unit])
      }),
      {seed},
    )
  })

  it('is rejected with exit code 2 for any other text, and no other error is thrown', () => {
    const others = fc.constantFrom('0', '25d', '-1s', '1w', '1e3', 'Infinity', 'NaN', '', '1h30m', '0x10', '١s')
    const alike = fc.string({unit: fc.constantFrom(...'0123456789.smhd -e+'.split(''))})
    fc.assert(
      fc.property(fc.oneof(fc.string(), alike, others), (text) => {
        let ms: number
        try {
          ms = parseDuration(text, '--timeout')
        } catch (error) {
          expect(error).toMatchObject({exitCode: 2})
          return
        }
        expect(text.trim()).toMatch(/^\d+(\.\d+)?(ms|s|m|h|d)?$/)
        expect(ms).toBeGreaterThan(0)
        expect(ms).toBeLessThan(2 ** 31)
      }),
      {seed},
    )
  })
})
