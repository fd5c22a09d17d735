// Durations as people write them: 30s, 5m, 2h; a bare number is seconds.
import {badUsage} from '../errors.ts'

const unitsMs: Record<string, number> = {ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000}
// Node's timers cannot wait longer than this.
const durationMsMax = 2 ** 31 - 1

export function parseDuration(text: string, flag: string, msMax = durationMsMax): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? []
  const ms = Math.round(Number(number) * (unitsMs[unit] ?? Number.NaN))
  if (Number.isNaN(ms))
    throw badUsage(`${flag} "${text}" is not a duration`, 'Write 30s, 5m or 2h; a bare number is seconds')
  if (ms < 1 || ms > msMax) {
    const daysMax = Math.floor(msMax / (unitsMs['d'] ?? 1))
    throw badUsage(`${flag} "${text}" is out of range`, `Use 1ms to ${daysMax}d`)
  }
  return ms
}
