// Divides a span of time into hours, days, weeks or months, whichever gives a readable number of columns.
import {toIso, dayMs, hourMs} from '../../../values/time.ts'

export interface Bucket {
  startMs: number
  endMs: number
  label: string
}

const weekMs = 7 * dayMs
const bucketsMax = 60
// 1970-01-05 was a Monday.
const mondayMs = 4 * dayMs

const formatDay = (ms: number) => toIso(ms).slice(0, 10)
const formatHour = (ms: number) => `${toIso(ms).slice(0, 13).replace('T', ' ')}:00`
const formatMonth = (ms: number) => toIso(ms).slice(0, 7)

interface Step {
  name: string
  floor: (ms: number) => number
  next: (startMs: number) => number
  format: (startMs: number) => string
}

const startOfMonth = (ms: number, offset = 0) => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset)
}

const createFixedStep = (name: string, sizeMs: number, format: Step['format'], originMs = 0): Step => ({
  name,
  floor: (ms) => Math.floor((ms - originMs) / sizeMs) * sizeMs + originMs,
  next: (startMs) => startMs + sizeMs,
  format,
})

const steps: readonly Step[] = [
  createFixedStep('hour', hourMs, formatHour),
  createFixedStep('day', dayMs, formatDay),
  createFixedStep('week', weekMs, (ms) => `week of ${formatDay(ms)}`, mondayMs),
  {name: 'month', floor: (ms) => startOfMonth(ms), next: (ms) => startOfMonth(ms, 1), format: formatMonth},
]

const fewHoursMs = 36 * hourMs

const fits = (step: Step, spanMs: number) => {
  if (step.name === 'hour') return spanMs <= fewHoursMs
  if (step.name === 'day') return spanMs <= bucketsMax * dayMs
  if (step.name === 'week') return spanMs <= bucketsMax * weekMs
  return true
}

// Without gaps, so that a day without payments is visible as one. At most so many that they can be told apart: of a longer
// span, the latest.
export function divideTime(times: readonly number[]): {step: string; buckets: Bucket[]} {
  if (times.length === 0) return {step: 'day', buckets: []}
  const first = times.reduce((one, other) => Math.min(one, other))
  const last = times.reduce((one, other) => Math.max(one, other))
  const step = steps.find((each) => fits(each, last - first)) as Step
  const buckets: Bucket[] = []
  const start = Math.max(step.floor(first), last - bucketsMax * 31 * dayMs)
  for (let at = step.floor(start); at <= last; at = step.next(at)) {
    buckets.push({startMs: at, endMs: step.next(at), label: step.format(at)})
  }
  return {step: step.name, buckets}
}
