// Resends an event of the sandbox, with the same id and the same bytes.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {toArgumentReference} from '../../../cli/ids/finder.ts'
import {listResult} from '../../../cli/output/result.ts'
import {findSentId} from '../../../events/find-delivery.ts'
import {webhookDeliveryView} from '../../../sandbox/views/webhooks.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxWebhooksResend extends SvcCommand {
  static override view = webhookDeliveryView
  static override summary = 'Resend an event, to all endpoints or to one'
  static override description =
    'Sends the same id and the same bytes as a new delivery. The id of a delivery resends to its endpoint only.'
  static override examples = [
    {
      description: 'Resend an event to all endpoints',
      command: 'svc sandbox webhooks resend evt_8d1f0c6b',
    },
    {description: 'Resend one delivery', command: 'svc sandbox webhooks resend dlv_2a9e4f7d3c5b1a608d1f0c6b'},
  ]
  static override exits = getExitCodes('notFound')
  static override args = {
    id: Args.string({description: 'ID of the event or of the delivery, or its first 8 or more characters'}),
  }

  static override flags = controlFlags

  async run() {
    const {args, flags} = await this.parse(SandboxWebhooksResend)
    const {call} = await openControl(flags)
    const id = await findSentId(this.finder(), call, toArgumentReference('event', args.id))
    const {deliveries} = await call('webhooks.resend', {id})
    return this.finishWrite(listResult(deliveries, 'deliveries', webhookDeliveryView))
  }
}
