// The slots of a schedule in a time zone, also where the clocks change.
import {describe, expect, it} from 'vitest'
import {parseZone, resolveKey} from '../../../src/payments/plan/slots.ts'

const berlin = 'Europe/Berlin'
const toKey = (template: string, at: string, zone: string) => resolveKey(template, {atMs: Date.parse(at), zone}).key

// The keys of a run at each of these instants, from one to the other.
function listKeys(template: string, zone: string, from: string, to: string, stepMs: number): string[] {
  const keys: string[] = []
  for (let atMs = Date.parse(from); atMs <= Date.parse(to); atMs += stepMs) {
    keys.push(resolveKey(template, {atMs, zone}).key)
  }
  return keys
}

describe('the slots of a schedule', () => {
  it('are those of the zone, and the zone is part of the template', () => {
    expect(resolveKey('rent-{date}', {atMs: Date.parse('2026-11-14T23:30:00Z'), zone: berlin})).toEqual({
      key: 'rent-2026-11-15',
      template: 'rent-{date} in Europe/Berlin',
      slot: '2026-11-14T23:30:00.000Z',
    })
    expect(toKey('{month}', '2026-10-31T23:30:00Z', berlin)).toBe('2026-11')
    expect(toKey('{hour}', '2026-11-14T23:30:00Z', 'Asia/Kolkata')).toBe('2026-11-15T05')
    expect(toKey('{date}', '2026-11-15T04:59:00Z', 'America/New_York')).toBe('2026-11-14')
  })

  it('are also minutes, weeks of ISO 8601 and quarters', () => {
    expect(toKey('{minute}', '2026-11-14T23:30:59Z', 'Asia/Kolkata')).toBe('2026-11-15T05:00')
    expect(toKey('{minute}', '2026-10-25T00:30:00Z', berlin)).toBe('2026-10-25T02:30+02:00')
    expect(toKey('{minute}', '2026-10-25T01:30:00Z', berlin)).toBe('2026-10-25T02:30+01:00')
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
    const quarters = ['2026-01-01', '2026-03-31', '2026-04-01', '2026-09-30', '2026-12-31']
    expect(quarters.map((day) => toKey('{quarter}', `${day}T12:00:00Z`, 'UTC'))).toEqual([
      '2026-Q1',
      '2026-Q1',
      '2026-Q2',
      '2026-Q3',
      '2026-Q4',
    ])
    expect(toKey('{quarter}', '2026-09-30T23:30:00Z', berlin)).toBe('2026-Q4')
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

  it('are one per hour for an hourly job: the repeated hour has its offset, the skipped one no slot', () => {
    const hourMs = 3_600_000
    expect(listKeys('{hour}', berlin, '2026-10-24T23:05:00Z', '2026-10-25T02:05:00Z', hourMs)).toEqual([
      '2026-10-25T01',
      '2026-10-25T02+02:00',
      '2026-10-25T02+01:00',
      '2026-10-25T03',
    ])
    expect(listKeys('{hour}', berlin, '2027-03-28T00:05:00Z', '2027-03-28T02:05:00Z', hourMs)).toEqual([
      '2027-03-28T01',
      '2027-03-28T03',
      '2027-03-28T04',
    ])
  })

  it.each([
    [berlin, '2026-10-20'],
    ['America/New_York', '2026-10-28'],
    ['America/Sao_Paulo', '2018-02-12'],
    ['Australia/Lord_Howe', '2026-03-30'],
    ['Australia/Lord_Howe', '2026-09-28'],
    ['Asia/Kathmandu', '2026-10-20'],
    ['Africa/Casablanca', '2026-02-10'],
  ])('of an hourly job in %s are each in one piece, in the ten days from %s', (zone, from) => {
    const seen = new Map<string, number>()
    let last = ''
    for (let atMs = Date.parse(from); atMs < Date.parse(from) + 864_000_000; atMs += 900_000) {
      const {key} = resolveKey('{hour}', {atMs, zone})
      // A key that comes back after another one would be taken for made.
      if (key !== last) expect(seen.has(key), `${key} at ${new Date(atMs).toISOString()}`).toBe(false)
      seen.set(key, (seen.get(key) ?? 0) + 1)
      last = key
    }
    // No slot is longer than an hour.
    expect(Math.max(...seen.values())).toBe(4)
  })
})

describe('a time zone', () => {
  it('is an IANA name, in any case', () => {
    expect(parseZone('europe/berlin', '--slot-zone')).toBe('Europe/Berlin')
    expect(parseZone('UTC', '--slot-zone')).toBe('UTC')
    expect(parseZone('Asia/Calcutta', '--slot-zone')).toBe('Asia/Calcutta')
  })

  it.each(['Berlin', '+01:00', 'CEST', '', 'Europe/Berlin ', '2'])('is not %j', (text) => {
    expect(() => parseZone(text, '--slot-zone')).toThrow(`--slot-zone "${text}" is not a time zone`)
  })
})
