// How long svc remembers a payment to ask about a second one of the same amount to the same account.
import {badUsage} from '../errors.ts'

const unitsMs: Readonly<Record<string, number>> = {m: 60_000, h: 3_600_000, d: 86_400_000}
const windowPattern = /^(\d{1,5})([mhd])$/

// The window of a profile that sets none.
const windowDefault = '3d'
const windowVariable = 'SVC_DUPLICATE_WINDOW'
const windowOff = '0'

// Parses 3d, 12h or 30m; 0 turns the check off.
function toWindowMs(text: string): number | undefined {
  if (text === windowOff) return 0
  const [, count, unit = ''] = windowPattern.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unitsMs[unit] ?? 0)
}

export function parseDuplicateWindow(text: string, from: string): string {
  if (toWindowMs(text) !== undefined) return text
  throw badUsage(`${from} "${text}" is not a number of days, hours or minutes`, 'Write 3d, 12h or 30m; 0 turns it off')
}

// The variable overrides the profile, and is the only source for callers without one.
export function readDuplicateWindowMs(stored: string | undefined): number {
  const variable = process.env[windowVariable]
  const text = variable
    ? parseDuplicateWindow(variable, windowVariable)
    : parseDuplicateWindow(stored ?? windowOff, 'The duplicateWindow of the profile')
  return toWindowMs(text) ?? 0
}

export const getDuplicateWindow = ({duplicateWindow = windowDefault}: {duplicateWindow?: string}) => duplicateWindow
