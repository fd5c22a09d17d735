// What the sections of the console share: their input, and how durations and captions are written.
import type {RequestContext} from '../service/request-context.ts'
import {type ConsoleState, rowsMax} from './state.ts'
import type {FormContext} from './table.ts'

export interface ConsoleView {
  context: RequestContext
  state: ConsoleState
  forms: FormContext
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

// In the largest unit that fits, rounded up.
export function formatDuration(ms: number): string {
  const [size, unit] =
    ms >= dayMs ? [dayMs, 'd'] : ms >= hourMs ? [hourMs, 'h'] : ms >= minuteMs ? [minuteMs, 'min'] : [secondMs, 's']
  return `${Math.ceil(ms / size)} ${unit}`
}

export const formatDistance = (ms: number) => (ms <= 0 ? 'due' : `in ${formatDuration(ms)}`)

export const describeNewest = (what: string) => `The newest ${rowsMax} ${what}`
