// How long a payee that was never paid waits for the first payment.
import {badUsage} from '../errors.ts'

const unitsMs: Readonly<Record<string, number>> = {m: 60_000, h: 3_600_000, d: 86_400_000}
const coolDownPattern = /^(\d{1,4})([mhd])$/
const coolDownOff = '0'

function toCoolDownMs(text: string): number | undefined {
  if (text === coolDownOff) return 0
  const [, count, unit = ''] = coolDownPattern.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unitsMs[unit] ?? 0)
}

export function parseCoolDown(text: string, from: string): string {
  if (toCoolDownMs(text) !== undefined) return text
  throw badUsage(`${from} "${text}" is not a number of days, hours or minutes`, 'Write 24h, 2d or 30m; 0 turns it off')
}

export const readCoolDownMs = (stored: string | undefined): number =>
  toCoolDownMs(parseCoolDown(stored ?? coolDownOff, 'The coolDown of the profile')) ?? 0
