// Parses durations such as 30s, 5m and 2h. A plain number is seconds.
import {badUsage} from '../../errors.ts'
import {dayMs, readDurationMs} from '../../values/time.ts'

// Node's timers cannot wait longer than this.
const durationMsMax = 2 ** 31 - 1

export function parseDuration(text: string, flag: string, msMax = durationMsMax): number {
  const ms = readDurationMs(text)
  if (ms === undefined)
    throw badUsage(`${flag} "${text}" is not a duration`, 'Write 30s, 5m or 2h; a plain number is seconds')
  if (ms < 1 || ms > msMax) {
    const daysMax = Math.floor(msMax / dayMs)
    throw badUsage(`${flag} "${text}" is out of range`, `Use 1ms to ${daysMax}d`)
  }
  return ms
}
