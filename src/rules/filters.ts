// Which rules of a list are meant, where the service itself does not filter.
import * as Flags from '@oclif/core/flags'
import {valuesOf} from '../contract/values.ts'
import {badUsage} from '../errors.ts'

const dayOrInstant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

// An instant, or the beginning of a day, in UTC.
async function instant(text: string, _: unknown, {name}: {name: string}): Promise<number> {
  const ms = dayOrInstant.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw badUsage(
    `--${name} "${text}" is not a date`,
    'Write 2026-11-01, or 2026-11-01T09:00:00Z; a day begins at midnight UTC',
  )
}

export const ruleFilterFlags = {
  type: Flags.option({
    summary: 'Only rules with this kind of trigger',
    env: 'SVC_TYPE',
    options: valuesOf('AutomationRule', 'trigger', 'type'),
  })(),
  since: Flags.custom<number>({
    summary: 'Only rules created at this time or later, such as 2026-11-01',
    env: 'SVC_SINCE',
    helpValue: 'TIME',
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
