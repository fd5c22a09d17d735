// Parses durations such as 30s, 5m and 2h, and formats them. A plain number is seconds.
import {badUsage} from '../../errors.ts'
import {readDurationMs} from '../../values/time.ts'

const dayMs = 86_400_000
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

// A duration in its two largest units: 45 s, 3 min 5 s, 2 h 10 min, 3 d 4 h.
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const parts: Array<[number, string]> = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1) return ms > 0 ? 'less than 1 s' : '0 s'
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

// The time left of a countdown, such as 4:59.
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
