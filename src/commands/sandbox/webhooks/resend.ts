// Sends an event of the sandbox once more: the same id and the same bytes.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {listResult} from '../../../cli/output/result.ts'
import {webhookDeliveryView} from '../../../sandbox/views/webhooks.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxWebhooksResend extends SvcCommand {
  static override view = webhookDeliveryView
  static override summary = 'Send an event once more, to every endpoint or to that of one delivery'
  static override description = 'The same id and the same bytes, as a delivery of its own with its own attempts.'
  static override examples = [
    {description: 'An event, to all', command: 'svc sandbox webhooks resend evt_8d1f0c6b2a9e4f7d3c5b1a60'},
    {description: 'One delivery', command: 'svc sandbox webhooks resend dlv_2a9e4f7d3c5b1a608d1f0c6b'},
  ]
  static override exits = getExitCodes('notFound')
  static override args = {
    id: Args.string({description: 'Id of the event or of the delivery', required: true}),
  }

  async run() {
    const {args} = await this.parse(SandboxWebhooksResend)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(listResult(sandbox.webhooks.resend(args.id), 'deliveries', webhookDeliveryView))
  }
}
