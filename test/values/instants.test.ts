import {describe, expect, it} from 'vitest'
import {readHttpDateMs, toInstantMs} from '../../src/values/time.ts'

const noon = Date.UTC(2026, 10, 1, 12, 0, 0)

describe('an instant', () => {
  it.each([
    '2026-11-01T12:00:00Z',
    '2026-11-01T12:00Z',
    '2026-11-01T12:00:00.000000Z',
    '2026-11-01t12:00:00z',
    '2026-11-01 12:00:00',
    '2026-11-01T12:00:00',
    '2026-11-01T13:00:00+01:00',
    '2026-11-01T06:30:00-0530',
    '2026-11-01T13:00:00+01',
  ])('is parsed from %s', (text) => expect(toInstantMs(text)).toBe(noon))

  it('is midnight UTC for a date', () => expect(toInstantMs('2026-11-01')).toBe(Date.UTC(2026, 10, 1)))

  it.each([
    '',
    '2026',
    '2026-11',
    '2026-02-30',
    '2026-11-31T12:00:00Z',
    '2026-11-00',
    '2026-13-01',
    '2026-11-01T25:00:00Z',
    'yesterday',
    1793534400,
    null,
    {},
  ])('is not parsed from %j', (value) => expect(toInstantMs(value)).toBeUndefined())
})

describe('a date in a header', () => {
  it.each(['Sun, 01 Nov 2026 12:00:00 GMT', 'Sunday, 01-Nov-26 12:00:00 GMT', 'Sun Nov  1 12:00:00 2026'])(
    'is parsed from %j',
    (text) => expect(readHttpDateMs(text)).toBe(noon),
  )

  // Such a text has no time zone, or is no date at all.
  it.each(['Sun, 01 Nov 2026 12:00:00', 'Sun Nov  1 12:00 2026', '12', 'Sun, GMT', '', null])(
    'is not parsed from %j',
    (text) => expect(readHttpDateMs(text)).toBeUndefined(),
  )
})
