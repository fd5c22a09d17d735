// Reads durations such as 30s, 5m, 2h and 7d. A plain number is seconds.

const unitsMs: Readonly<Record<string, number>> = {ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000}

export const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/

// Undefined if the text is not a duration.
export function readDurationMs(text: string): number | undefined {
  const [, number, unit = 's'] = durationPattern.exec(text.trim()) ?? []
  const ms = Math.round(Number(number) * (unitsMs[unit] ?? Number.NaN))
  return Number.isNaN(ms) ? undefined : ms
}
