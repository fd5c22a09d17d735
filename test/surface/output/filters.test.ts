// Filters of lists: how their flags are parsed, and which items match.
import {describe, expect, it} from 'vitest'
import {buildFilter, parseSince} from '../../../src/cli/output/filters.ts'

const filters = {
  status: {field: 'customerStatus', values: ['ACTIVE', 'REJECTED']},
  type: {field: 'customerType'},
  since: {field: 'updatedAt'},
}

const now = Date.UTC(2026, 10, 15, 12)

describe('--since', () => {
  it.each([
    ['2026-11-01', Date.UTC(2026, 10, 1)],
    ['2026-11-01T09:30:00Z', Date.UTC(2026, 10, 1, 9, 30)],
    ['7d', Date.UTC(2026, 10, 8, 12)],
    ['12h', Date.UTC(2026, 10, 15)],
    ['1.5h', Date.UTC(2026, 10, 15, 10, 30)],
    ['365d', Date.UTC(2025, 10, 15, 12)],
  ])('%s is an instant', (text, instant) => expect(parseSince(text, now)).toBe(instant))

  it.each(['2026', 'someday', '7', '7w', '-7d', '2026-02-30', '01/11/2026', ''])('%j is rejected', (text) =>
    expect(() => parseSince(text, now)).toThrow('--since'),
  )
})

describe('a filter', () => {
  it.each([undefined, null, 3, {}, [], JSON.rawJSON('1.0')])('does not match if the field is %j', (customerStatus) => {
    expect(buildFilter(filters, {status: [['ACTIVE']]})?.matches({customerStatus})).toBe(false)
  })

  it('matches from that instant on, and is undecided about a time that cannot be read', () => {
    const filter = buildFilter(filters, {since: now})
    expect(filter?.matches({updatedAt: '2026-11-15T12:00:00Z'})).toBe(true)
    expect(filter?.matches({updatedAt: '2026-11-15T11:59:59.999Z'})).toBe(false)
    expect(filter?.matches({updatedAt: 'soon'})).toBeUndefined()
    expect(filter?.matches({})).toBeUndefined()
    const before = buildFilter(filters, {until: now})
    expect(before?.matches({updatedAt: '2026-11-15T11:59:59.999Z'})).toBe(true)
    expect(before?.matches({updatedAt: '2026-11-15T12:00:00Z'})).toBe(false)
  })

  it('is not undecided about an item that does not match anyway', () => {
    const filter = buildFilter(filters, {since: now, type: [['BUSINESS']]})
    expect(filter?.matches({customerType: 'INDIVIDUAL', updatedAt: 'soon'})).toBe(false)
    expect(filter?.by).toEqual(['type', 'time'])
  })
})
