// Parses a rate such as 20/s or 300/m, in rows a second.
import {badUsage} from '../../errors.ts'

const secondsByUnit: Readonly<Record<string, number>> = {'': 1, s: 1, m: 60, h: 3600}
const ratePattern = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/
const rateMax = 100_000

// Null for "none", which removes the limit.
export function parseRate(text: string): number | null {
  if (text === 'none') return null
  const [, digits = '', unit = ''] = ratePattern.exec(text) ?? []
  const rate = Number(digits) / (secondsByUnit[unit] ?? 1)
  if (digits === '' || !(rate > 0) || rate > rateMax) {
    throw badUsage(
      `--rate "${text}" is not a rate`,
      'Write rows a second, such as 20/s, or 300/m; "none" removes the limit',
    )
  }
  return rate
}
