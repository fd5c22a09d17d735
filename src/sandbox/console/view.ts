// What the sections of the console share: their input, and how durations and captions are written.
import type {RequestContext} from '../service/request-context.ts'
import {type ConsoleState, rowsMax} from './state.ts'
import type {FormContext} from './table.ts'
import {dayMs, hourMs, minuteMs, secondMs} from '../../values/time.ts'

export interface ConsoleView {
  context: RequestContext
  state: ConsoleState
  forms: FormContext
}

// In the largest unit that fits, rounded up.
export function formatRoundedUp(ms: number): string {
  const [size, unit] =
    ms >= dayMs ? [dayMs, 'd'] : ms >= hourMs ? [hourMs, 'h'] : ms >= minuteMs ? [minuteMs, 'min'] : [secondMs, 's']
  return `${Math.ceil(ms / size)} ${unit}`
}

export const formatDistance = (ms: number) => (ms <= 0 ? 'due' : `in ${formatRoundedUp(ms)}`)

export const describeNewest = (what: string) => `The newest ${rowsMax} ${what}`
