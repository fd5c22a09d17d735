// The flags that name the time which books cover.
import * as Flags from '@oclif/core/flags'
import {parseSince} from '../cli/output/filters.ts'
import {type Period, parseMonth} from './period.ts'

export const periodFlags = {
  month: Flags.custom<Period>({
    summary: 'A month in UTC, such as 2026-11',
    env: 'SVC_MONTH',
    helpValue: 'MONTH',
    exclusive: ['since', 'until'],
    parse: async (text) => parseMonth(text),
  })(),
  since: Flags.custom<number>({
    summary: 'From this time on: 2026-11-01 (UTC), a timestamp, or 7d, 12h ago',
    env: 'SVC_SINCE',
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now()),
  })(),
  until: Flags.custom<number>({
    summary: 'Up to this time, which is not included',
    env: 'SVC_UNTIL',
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now(), '--until'),
  })(),
}
