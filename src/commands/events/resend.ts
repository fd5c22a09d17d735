// Sends an event once more, also to a handler that has seen it.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {findEventId, findSentId, isDeliveryId, toEventReference} from '../../events/find.ts'
import {createSandboxCall} from '../../sandbox-control.ts'
import {createForwardFlags, secretFileFlag, storeFlag} from '../../events/flags.ts'
import {briefSentEventView, sentEventView} from '../../events/history-view.ts'
import {findEventSources} from '../../events/history.ts'
import {describeNotAccepted, resendEvent} from '../../events/send-event.ts'
import {findSecrets} from '../../events/signature.ts'
import {parseTargets} from '../../events/targets.ts'
import {findCaller} from '../../profiles/caller.ts'

export default class EventsResend extends SvcCommand {
  static override view = sentEventView
  static override summary = 'Send an event again, also to a handler that has seen it'
  static override description =
    'An event of the sandbox goes to its endpoints, with the same id and bytes and a new signature; a running `svc events listen` forwards it again. A stored event goes to the URLs that it was forwarded to. --forward-to names others. The header svc-event-resend marks an event that is sent again. A service cannot be asked to send one of its own events again.'
  static override examples = [
    {
      description: 'Send an event of the sandbox again',
      command: 'svc events resend evt_8d1f0c6b2a9e4f7d3c5b1a60 -p sandbox',
    },
    {
      description: 'Send a stored event to your own code, signed anew, and see the answer',
      command:
        'svc events resend evt_8d1f0c6b2a9e4f7d3c5b1a60 --forward-to http://localhost:3000/hook --secret-file webhook.secret --print-response',
    },
  ]
  static override exits = getExitCodes('done', 'usage', 'notFound', 'finding')
  static override args = {
    event: Args.string({
      description: 'ID of the event or of a delivery of the sandbox, or its first 8 or more characters',
    }),
  }
  static override flags = {
    ...createForwardFlags('Send it to this URL'),
    'secret-file': secretFileFlag,
    store: storeFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(EventsResend)
    const urls = parseTargets(flags['forward-to'], flags['allow-remote'])
    const secrets = findSecrets(flags['secret-file'])
    const sources = await findEventSources(findCaller(this.flags.profile), flags.store)
    const reference = toEventReference(args.event)
    const id =
      sources.sandbox && isDeliveryId(args.event)
        ? await findSentId(this.finder(), await createSandboxCall(sources.sandbox), reference)
        : await findEventId(this.finder(), sources, reference)
    const sent = await resendEvent(sources, {
      id,
      urls,
      secrets,
      readsResponse: flags['print-response'],
      notice: (text) => this.notice(text),
    })
    const view = flags['print-response'] ? sentEventView : briefSentEventView
    return this.finishWrite(
      listResult(sent, 'deliveries', view, {failure: describeNotAccepted(sent, flags['print-response'])}),
    )
  }
}
