// The flags that the commands of events share.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../errors.ts'
import {portFlag} from '../cli/flags/shared.ts'
import {sinceFlag} from '../cli/output/filters.ts'

const hostDefault = '127.0.0.1'

export const secretFileFlag = Flags.string({
  summary: 'File with the webhook secret; SVC_WEBHOOK_SECRET by default',
  helpValue: 'FILE',
})

export const eventArgs = {event: Args.string({description: 'ID of the event, or its first 8 or more characters'})}

export const storeFlag = Flags.string({
  summary: 'Event store (SVC_EVENTS, or events.sqlite in the state directory)',
  helpValue: 'FILE',
})

function parsePath(text: string): string {
  if (/^\/[^?#\s]*$/.test(text)) return text
  throw badUsage(`--path "${text}" is not a path`, 'It starts with a slash, such as /hooks/svc')
}

export const createForwardFlags = (summary: string) => ({
  'forward-to': Flags.string({
    summary: `${summary}; repeatable`,
    helpValue: 'URL',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'allow-remote': Flags.boolean({summary: 'Allow forwarding to other machines, over https'}),
})

export const listenFlags = {
  host: Flags.string({
    summary: `Address to listen on (${hostDefault})`,
    helpValue: 'ADDRESS',
    default: hostDefault,
  }),
  port: portFlag(0),
  path: Flags.string({
    summary: 'Path that receives events, including everything below it (/)',
    default: '/',
    parse: async (text) => parsePath(text),
  }),
  'secret-file': secretFileFlag,
  'no-endpoint': Flags.boolean({
    summary: 'Do not make the sandbox send its events here',
  }),
  ...createForwardFlags('Forward every event to this URL'),
  store: storeFlag,
  replay: Flags.boolean({summary: 'Forward stored events again first', dependsOn: ['forward-to']}),
  event: Flags.string({
    summary: 'Replay only this event; repeatable',
    helpValue: 'ID',
    multiple: true,
    multipleNonGreedy: true,
    dependsOn: ['replay'],
  }),
  since: sinceFlag('Replay only events that arrived since'),
}
