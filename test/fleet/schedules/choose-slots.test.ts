// Which slots a schedule has in its zone, also where the clocks change, and which of them are paid after a time without workers.
import {describe, expect, it} from 'vitest'
import {chooseSlots, formatSlot} from '../../../src/fleet/schedules/schedule.ts'
import {listNextFirings} from '../../../src/values/schedules.ts'
import {at} from './stage.ts'

type Timing = Parameters<typeof chooseSlots>[0]

const createTiming = (more: Partial<Timing> = {}): Timing => ({
  cron: '0 9 * * *',
  zone: 'UTC',
  missed: 'all',
  isPaused: false,
  decidedUntil: at('2026-11-10T09:00'),
  ...more,
})

const choose = (timing: Partial<Timing>, now: string, max = 1000) =>
  chooseSlots(createTiming(timing), at(now), max).decisions.map(({slot, skippedBecause = 'paid'}) =>
    `${formatSlot(slot)} ${skippedBecause}`.replace(/ paid$/, ''),
  )

describe('slots that came while no worker ran', () => {
  it('are none before the first one', () => {
    expect(choose({}, '2026-11-11T08:59:59.999')).toEqual([])
    expect(choose({}, '2026-11-11T09:00')).toEqual(['2026-11-11T09:00Z'])
  })

  it('are all paid with `all`, the oldest first', () => {
    expect(choose({missed: 'all'}, '2026-11-13T12:00')).toEqual([
      '2026-11-11T09:00Z',
      '2026-11-12T09:00Z',
      '2026-11-13T09:00Z',
    ])
  })

  it('are skipped with `latest`, but for the latest, however old it is', () => {
    expect(choose({missed: 'latest'}, '2026-11-14T08:00')).toEqual([
      '2026-11-11T09:00Z MISSED',
      '2026-11-12T09:00Z MISSED',
      '2026-11-13T09:00Z',
    ])
  })

  it('are skipped with `skip` after a quarter of an hour', () => {
    expect(choose({missed: 'skip'}, '2026-11-12T09:15')).toEqual(['2026-11-11T09:00Z MISSED', '2026-11-12T09:00Z'])
    expect(choose({missed: 'skip'}, '2026-11-11T09:15:00.001')).toEqual(['2026-11-11T09:00Z MISSED'])
  })

  it('are skipped while the schedule is paused, whatever the policy', () => {
    for (const missed of ['skip', 'latest', 'all'] as const) {
      expect(choose({missed, isPaused: true}, '2026-11-11T09:00')).toEqual(['2026-11-11T09:00Z PAUSED'])
    }
  })

  it('are decided about some at a time, and only the last of all is the latest', () => {
    const timing = createTiming({missed: 'latest', cron: '* * * * *'})
    const first = chooseSlots(timing, at('2026-11-10T09:05'), 3)
    expect(first.decisions.map(({skippedBecause}) => skippedBecause)).toEqual(['MISSED', 'MISSED', 'MISSED'])
    expect(first.hasMore).toBe(true)
    const rest = chooseSlots({...timing, decidedUntil: at('2026-11-10T09:03')}, at('2026-11-10T09:05'), 3)
    expect(rest.decisions.map(({skippedBecause}) => skippedBecause)).toEqual(['MISSED', undefined])
    expect(rest.hasMore).toBe(false)
  })
})

describe('slots in a zone', () => {
  const berlin = (cron: string, decidedUntil: string, now: string) =>
    choose({cron, zone: 'Europe/Berlin', decidedUntil: at(decidedUntil)}, now)

  it('follow its clocks', () => {
    expect(berlin('0 9 * * *', '2026-03-28T00:00', '2026-03-30T00:00')).toEqual([
      '2026-03-28T08:00Z',
      '2026-03-29T07:00Z',
    ])
    expect(berlin('0 9 * * *', '2026-10-24T00:00', '2026-10-26T00:00')).toEqual([
      '2026-10-24T07:00Z',
      '2026-10-25T08:00Z',
    ])
  })

  it('come once on the day on which their time does not exist: when the clocks have moved', () => {
    expect(berlin('30 2 * * *', '2026-03-28T12:00', '2026-03-30T12:00')).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ])
  })

  it('come once on the day on which their time exists twice: the first time', () => {
    expect(berlin('30 2 * * *', '2026-10-24T12:00', '2026-10-26T12:00')).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ])
    // Also for a worker that begins between the two.
    expect(berlin('30 2 * * *', '2026-10-25T00:45', '2026-10-25T12:00')).toEqual([])
  })

  it('of every hour come in each hour that passes', () => {
    expect(berlin('0 * * * *', '2026-03-28T23:00', '2026-03-29T02:00')).toEqual([
      '2026-03-29T00:00Z',
      '2026-03-29T01:00Z',
      '2026-03-29T02:00Z',
    ])
    expect(berlin('0 * * * *', '2026-10-24T23:00', '2026-10-25T02:00')).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T01:00Z',
      '2026-10-25T02:00Z',
    ])
  })

  it('are the same however they are walked, around every change of the clocks', () => {
    const changes = [
      ['Europe/Berlin', '2026-03-28'],
      ['Europe/Berlin', '2026-10-24'],
      ['America/New_York', '2026-11-01'],
      ['Australia/Lord_Howe', '2026-04-04'],
      ['Africa/Cairo', '2026-04-23'],
    ] as const
    for (const [zone, day] of changes) {
      for (const cron of ['30 2 * * *', '0 * * * *', '0 0 * * *', '15 1-3 * * *']) {
        const from = at(`${day}T00:00`)
        const untilMs = from.getTime() + 3 * 86_400_000
        const walked: Date[] = []
        // As workers do: a look now and then, from the last slot on.
        let decidedUntil = from
        for (let nowMs = from.getTime(); nowMs <= untilMs; nowMs += 97 * 60_000) {
          const {decisions} = chooseSlots({...createTiming({cron, zone}), decidedUntil}, new Date(nowMs), 1000)
          walked.push(...decisions.map(({slot}) => slot))
          decidedUntil = decisions.at(-1)?.slot ?? decidedUntil
        }
        const whole = listNextFirings(cron, from.getTime(), walked.length, zone)
        expect(walked.length).toBeGreaterThan(1)
        expect([zone, cron, walked.map(formatSlot)]).toEqual([zone, cron, whole.map(formatSlot)])
      }
    }
  })
})
