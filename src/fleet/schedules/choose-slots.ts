// Decides which slots of a schedule are paid and which are skipped: those that have come since the last one about which was decided.
import {getNextFiring} from '../../values/schedules.ts'
import type {Schedule} from './schedule.ts'
import {minuteMs} from '../../values/time.ts'

// A slot that no worker saw within this time counts as missed, which matters to the policy `skip` alone.
const lateMinutesMax = 15

export type SkipReason = 'MISSED' | 'PAUSED' | 'DELETED'

export interface SlotDecision {
  slot: Date
  // Absent if it is paid.
  skippedBecause?: SkipReason
}

export interface SlotDecisions {
  // In the order of time.
  decisions: SlotDecision[]
  // Whether slots are left that have come.
  hasMore: boolean
}

type Timing = Pick<Schedule, 'cron' | 'zone' | 'missed' | 'isPaused' | 'decidedUntil'>

export const getNextSlot = ({cron, zone}: Pick<Schedule, 'cron' | 'zone'>, after: Date): Date | undefined =>
  getNextFiring(cron, after.getTime(), zone)

function chooseReason({missed, isPaused}: Timing, slot: Date, now: Date, isLatest: boolean): SkipReason | undefined {
  if (isPaused) return 'PAUSED'
  if (missed === 'all' || (missed === 'latest' && isLatest)) return undefined
  if (missed === 'latest') return 'MISSED'
  return now.getTime() - slot.getTime() <= lateMinutesMax * minuteMs ? undefined : 'MISSED'
}

// At most `max` at a time: a schedule may have been asleep for long.
export function chooseSlots(schedule: Timing, now: Date, max: number): SlotDecisions {
  const decisions: SlotDecision[] = []
  let slot = getNextSlot(schedule, schedule.decidedUntil)
  while (slot && slot <= now && decisions.length < max) {
    const next = getNextSlot(schedule, slot)
    const skippedBecause = chooseReason(schedule, slot, now, !next || next > now)
    decisions.push({slot, ...(skippedBecause && {skippedBecause})})
    slot = next
  }
  return {decisions, hasMore: slot !== undefined && slot <= now}
}
