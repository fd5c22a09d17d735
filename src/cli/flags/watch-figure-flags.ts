// The flags of the watches of a figure.
import * as Flags from '@oclif/core/flags'
import {parseDuration} from './durations.ts'

export const figureIntervalDefaultMs = 30_000

export const figureFlags = {
  once: Flags.boolean({summary: 'Read once and end, for cron: with code 12 if it is below --alert-below'}),
  interval: Flags.custom<number>({
    summary: `Time between two reads (${figureIntervalDefaultMs / 1000}s)`,
    env: 'SVC_INTERVAL',
    helpValue: 'DURATION',
    parse: async (text) => parseDuration(text, '--interval'),
  })(),
}
