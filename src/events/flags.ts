// The flags that the commands of events share.
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../errors.ts'
import {parseDuration} from '../cli/flags/durations.ts'
import {parseSince} from '../cli/output/filters.ts'
import {wholeNumberParser} from '../cli/flags/shared.ts'

const hostDefault = '127.0.0.1'
const portMax = 65_535
export const intervalMsDefault = 30_000

export const secretFileFlag = Flags.string({
  summary: 'File with the secret of the webhook endpoint; else SVC_WEBHOOK_SECRET',
  env: 'SVC_SECRET_FILE',
  helpValue: 'FILE',
})

export const storeFlag = Flags.string({
  summary: 'Store of events (SVC_EVENTS, else events.sqlite in the state folder)',
  helpValue: 'FILE',
})

function parsePath(text: string): string {
  if (/^\/[^?#\s]*$/.test(text)) return text
  throw badUsage(`--path "${text}" is no path`, 'It begins with a slash, as /hooks/svc')
}

export const listenFlags = {
  host: Flags.string({
    summary: `Address to listen on (${hostDefault})`,
    env: 'SVC_HOST',
    helpValue: 'ADDRESS',
    default: hostDefault,
  }),
  port: Flags.custom<number>({
    summary: 'Port to listen on; 0 picks a free one (0)',
    env: 'SVC_PORT',
    helpValue: 'N',
    parse: wholeNumberParser(0, portMax),
  })(),
  path: Flags.string({
    summary: 'Path at which events arrive, and everything below it (/)',
    default: '/',
    parse: async (text) => parsePath(text),
  }),
  'secret-file': secretFileFlag,
  'forward-to': Flags.string({
    summary: 'Send every event on to this address; may be repeated (in the variable: blanks between)',
    env: 'SVC_FORWARD_TO',
    helpValue: 'URL',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'allow-remote': Flags.boolean({summary: 'Forward to other machines as well, over https'}),
  fetch: Flags.boolean({
    summary: 'Read each customer again from the service, since an event is only a hint',
    env: 'SVC_FETCH',
  }),
  store: storeFlag,
  replay: Flags.boolean({summary: 'First forward what is stored once more', dependsOn: ['forward-to']}),
  event: Flags.string({
    summary: 'Replay only this event; may be repeated',
    helpValue: 'ID',
    multiple: true,
    multipleNonGreedy: true,
    dependsOn: ['replay'],
  }),
  since: Flags.custom<number>({
    summary: 'Replay only what arrived since: 2026-11-01 (UTC), a timestamp, or 7d, 12h ago',
    env: 'SVC_SINCE',
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now()),
  })(),
}

export const watchFlags = {
  interval: Flags.custom<number>({
    summary: `Pause between two looks (${intervalMsDefault / 1000}s)`,
    env: 'SVC_INTERVAL',
    helpValue: 'DURATION',
    parse: async (text) => parseDuration(text, '--interval'),
  })(),
  cursor: Flags.string({
    summary: 'File that remembers how far it came (in the state folder, one for each service)',
    env: 'SVC_CURSOR',
    helpValue: 'FILE',
  }),
  customers: Flags.boolean({summary: 'Watch customers; without this and --transactions, both'}),
  transactions: Flags.boolean({summary: 'Watch transactions'}),
  since: Flags.custom<number>({
    summary: 'Only states with updatedAt at or after this: 2026-11-01 (UTC), a timestamp, or 7d, 12h ago',
    env: 'SVC_SINCE',
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now()),
  })(),
  once: Flags.boolean({summary: 'Look once and end, for cron'}),
}
