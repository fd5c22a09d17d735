// Which rules of a list are meant, where the service itself does not filter.
import * as Flags from '@oclif/core/flags'
import {valuesOf} from '../contract/values.ts'
import {badUsage} from '../errors.ts'
import {parseDuration} from '../terminal/durations.ts'

const dayOrInstant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

// A hundred years of 365 days.
const agoMsMax = 36_500 * 86_400_000
const timeAgo = /^\d+(\.\d+)?[smhd]$/

// An instant, the beginning of a day in UTC, or how long ago. A bare number could be either, so it is none.
async function instant(text: string, _: unknown, {name}: {name: string}): Promise<number> {
  if (timeAgo.test(text)) return Date.now() - parseDuration(text, `--${name}`, agoMsMax)
  const ms = dayOrInstant.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw badUsage(
    `--${name} "${text}" is neither a time nor a duration`,
    'Write 2026-11-01 (midnight UTC), 2026-11-01T09:30:00Z, or how long ago: 7d, 12h, 30m',
  )
}

export const ruleFilterFlags = {
  type: Flags.option({
    summary: 'Only rules with this kind of trigger',
    env: 'SVC_TYPE',
    options: valuesOf('AutomationRule', 'trigger', 'type'),
  })(),
  since: Flags.custom<number>({
    summary: 'Only rules created at or after this: 2026-11-01 (UTC), a timestamp, or 7d, 12h ago',
    env: 'SVC_SINCE',
    helpValue: 'WHEN',
    parse: instant,
  })(),
}

interface Wanted {
  type?: string | undefined
  since?: number | undefined
}

interface Filtered {
  trigger?: {type?: unknown} | null
  createdAt?: unknown
}

// A rule whose time of creation cannot be read stays: nothing that may be meant is left out.
export const isMeant = ({trigger, createdAt}: Filtered, {type, since}: Wanted) =>
  (type === undefined || trigger?.type === type) &&
  (since === undefined || typeof createdAt !== 'string' || !(Date.parse(createdAt) < since))
