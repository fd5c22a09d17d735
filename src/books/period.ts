// The time that books cover: from a first instant on, up to but without a last one. Days and months are those of UTC.
import {badUsage} from '../errors.ts'
import {toShortIso} from '../values/time.ts'

export interface Period {
  sinceMs?: number | undefined
  // Not part of the period.
  untilMs?: number | undefined
}

export const isInPeriod = ({sinceMs, untilMs}: Period, ms: number): boolean =>
  (sinceMs === undefined || ms >= sinceMs) && (untilMs === undefined || ms < untilMs)

// Such as "from 2026-11-01T00:00:00Z until 2026-12-01T00:00:00Z, which is not included".
// Without both ends, everything that was completed.
export function describePeriod({sinceMs, untilMs}: Period): string {
  const from =
    sinceMs === undefined ? (untilMs === undefined ? 'so far' : 'from the beginning') : `from ${toShortIso(sinceMs)}`
  return untilMs === undefined ? from : `${from} until ${toShortIso(untilMs)}, which is not included`
}

const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/

export function parseMonth(text: string): Period {
  const [, year, month] = monthForm.exec(text) ?? []
  if (year === undefined) throw badUsage(`--month "${text}" is not a month`, 'Write the year and the month: 2026-11')
  return {sinceMs: Date.UTC(Number(year), Number(month) - 1), untilMs: Date.UTC(Number(year), Number(month))}
}

interface PeriodFlags {
  month?: Period | undefined
  since?: number | undefined
  until?: number | undefined
}

export function createPeriod({month, since, until}: PeriodFlags): Period {
  if (month) return month
  if (since !== undefined && until !== undefined && until <= since) {
    throw badUsage(
      `--until ${toShortIso(until)} is not after --since ${toShortIso(since)}`,
      'The time runs from --since on, up to but without --until',
    )
  }
  return {sinceMs: since, untilMs: until}
}

export const toPeriodFields = ({sinceMs, untilMs}: Period) => ({
  ...(sinceMs !== undefined && {since: toShortIso(sinceMs)}),
  ...(untilMs !== undefined && {until: toShortIso(untilMs)}),
  zone: 'UTC',
})
