import {describe, expect, it} from 'vitest'
import {toInstantMs} from '../../src/validation/instants.ts'

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
  ])('is parsed from %s', (text) => expect(toInstantMs(text)).toBe(noon))

  it('is midnight UTC for a date', () => expect(toInstantMs('2026-11-01')).toBe(Date.UTC(2026, 10, 1)))

  it.each([
    '',
    '2026',
    '2026-11',
    '2026-02-30',
    '2026-13-01',
    '2026-11-01T25:00:00Z',
    'yesterday',
    1793534400,
    null,
    {},
  ])('is not parsed from %j', (value) => expect(toInstantMs(value)).toBeUndefined())
})
