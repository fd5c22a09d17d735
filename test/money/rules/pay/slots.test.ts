// Slots in a time zone, also where the clocks change.
import {describe, expect, it} from 'vitest'
import {parseSlot, parseZone, readZoneTime, resolveKey} from '../../../../src/payments/pay/slots.ts'

const berlin = 'Europe/Berlin'
const toKey = (template: string, at: string, zone: string) =>
  resolveKey(template, readZoneTime(zone, Date.parse(at))).key

describe('the slots of a schedule', () => {
  it('are those of the zone', () => {
    expect(resolveKey('rent-{date}', readZoneTime(berlin, Date.parse('2026-11-14T23:30:00Z')))).toEqual({
      key: 'rent-2026-11-15',
      template: 'rent-{date}',
      slot: '2026-11-15',
    })
    expect(toKey('{month}', '2026-10-31T23:30:00Z', berlin)).toBe('2026-11')
    expect(toKey('{hour}', '2026-11-14T23:30:00Z', 'Asia/Kolkata')).toBe('2026-11-15T05')
    expect(toKey('{date}', '2026-11-15T04:59:00Z', 'America/New_York')).toBe('2026-11-14')
  })

  it.each(['rent-{day}', 'rent of may', 'clé', 'rent-{date', ''])('have no key such as %j', (template) => {
    expect(() => toKey(template, '2026-11-14T23:30:00Z', 'UTC')).toThrow(/not a placeholder|printable|unmatched brace/)
  })

  it('are also weeks of ISO 8601', () => {
    const weeks = [
      ['2026-11-17T10:00:00Z', '2026-W47'],
      ['2026-11-15T23:59:59Z', '2026-W46'],
      ['2026-12-31T12:00:00Z', '2026-W53'],
      ['2027-01-03T12:00:00Z', '2026-W53'],
      ['2027-01-04T00:00:00Z', '2027-W01'],
      ['2024-12-30T00:00:00Z', '2025-W01'],
      ['2023-01-01T12:00:00Z', '2022-W52'],
    ] as const
    for (const [at, week] of weeks) expect(toKey('{week}', at, 'UTC')).toBe(week)
    expect(toKey('{week}', '2026-11-15T23:30:00Z', berlin)).toBe('2026-W47')
  })

  it('are one per day for a job at 01:30 local time, in both changes of the clocks', () => {
    // 01:30 in Berlin is 00:30 UTC in winter and 23:30 UTC in summer.
    const spring = ['2027-03-27T00:30:00Z', '2027-03-28T00:30:00Z', '2027-03-28T23:30:00Z', '2027-03-29T23:30:00Z']
    expect(spring.map((at) => toKey('{date}', at, berlin))).toEqual([
      '2027-03-27',
      '2027-03-28',
      '2027-03-29',
      '2027-03-30',
    ])
    // In UTC the third run finds the slot of the second.
    expect(spring.map((at) => toKey('{date}', at, 'UTC')).slice(1, 3)).toEqual(['2027-03-28', '2027-03-28'])
    const autumn = ['2026-10-23T23:30:00Z', '2026-10-24T23:30:00Z', '2026-10-26T00:30:00Z']
    expect(autumn.map((at) => toKey('{date}', at, berlin))).toEqual(['2026-10-24', '2026-10-25', '2026-10-26'])
  })

  it('are one for an hour that the clocks show twice', () => {
    const hours = ['2026-10-24T23:05:00Z', '2026-10-25T00:05:00Z', '2026-10-25T01:05:00Z', '2026-10-25T02:05:00Z']
    expect(hours.map((at) => toKey('{hour}', at, berlin).slice(-2))).toEqual(['01', '02', '02', '03'])
  })

  it.each([
    ['2026-10', '{hour} {date} {week}', '2026-10-01T00 2026-10-01 2026-W40'],
    ['2026-W47', '{date}', '2026-11-16'],
    ['2026-W53', '{date}', '2026-12-28'],
    ['2025-W01', '{date}', '2024-12-30'],
    ['2026-11-15T05', '{month} {week}', '2026-11 2026-W46'],
  ])('that are named %s begin in %s %s', (text, template, start) => {
    const {named: _, ...time} = parseSlot(text, berlin)
    const words = template.split(' ').map((each) => resolveKey(each, time).key)
    expect(words.join(' ')).toBe(start)
  })

  it.each(['2026-02-30', '2026-13', '2026-W54', '2026-W00', '2026', '2026-10-05T24', '2026-10-05T08:00Z', 'now', ''])(
    'are not named %j',
    (text) => {
      expect(() => parseSlot(text, 'UTC')).toThrow('is not a slot')
    },
  )
})

describe('a time zone', () => {
  it('is an IANA name, in any case', () => {
    expect(parseZone('europe/berlin', '--slot-zone')).toBe('Europe/Berlin')
    expect(parseZone('UTC', '--slot-zone')).toBe('UTC')
  })

  it.each(['Berlin', '+01:00', 'CEST', '', 'Europe/Berlin ', '2'])('is not %j', (text) => {
    expect(() => parseZone(text, '--slot-zone')).toThrow(`--slot-zone "${text}" is not a time zone`)
  })
})
