// Sends a stored event once more, also to a handler that has seen it.
import {SvcCommand} from '../../cli/command.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {findEventId, toEventReference} from '../../events/find.ts'
import {createForwardFlags, eventArgs, secretFileFlag, storeFlag} from '../../events/flags.ts'
import {sentEventView} from '../../events/history-view.ts'
import {describeNotAccepted, resendEvent} from '../../events/send-event.ts'
import {findSecrets} from '../../events/signature.ts'
import {getEventStoreFile} from '../../events/store.ts'
import {parseTargets} from '../../events/targets.ts'

export default class EventsResend extends SvcCommand {
  static override view = sentEventView
  static override summary = 'Send an event again, also to a handler that has seen it'
  static override description =
    'An event that `svc events listen` stored goes to the URLs that it was forwarded to, or to those of --forward-to, with the same id and bytes. The header svc-event-resend marks an event that is sent again. A service cannot be asked to send one of its own events again; `svc sandbox webhooks resend` asks the sandbox.'
  static override examples = [
    {
      description: 'Send an event again to where it was forwarded',
      command: 'svc events resend evt_8d1f0c6b2a9e4f7d3c5b1a60',
    },
    {
      description: 'Send a stored event to your own code, signed anew',
      command:
        'svc events resend evt_8d1f0c6b2a9e4f7d3c5b1a60 --forward-to http://localhost:3000/hook --secret-file webhook.secret',
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'finding')
  static override args = eventArgs
  static override flags = {
    ...createForwardFlags('Send it to this URL'),
    'secret-file': secretFileFlag,
    store: storeFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(EventsResend)
    const urls = parseTargets(flags['forward-to'], flags['allow-remote'])
    const secrets = findSecrets(flags['secret-file'])
    const storeFile = flags.store ?? getEventStoreFile()
    const id = await findEventId(this.finder(), storeFile, toEventReference(args.event))
    const sent = await resendEvent(storeFile, {
      id,
      urls,
      secrets,
      notice: (text) => this.notice(text),
    })
    return this.finishWrite(listResult(sent, 'deliveries', sentEventView, {failure: describeNotAccepted(sent)}))
  }
}
