// Removes a webhook endpoint from the sandbox, and gives up its pending deliveries.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {toArgumentReference} from '../../../cli/ids/finder.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {findEndpointId} from '../../../events/find-delivery.ts'
import {webhookEndpointView} from '../../../sandbox/views/webhooks.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxWebhooksRemove extends SvcCommand {
  static override view = webhookEndpointView
  static override summary = 'Remove a webhook endpoint of the sandbox'
  static override description = 'Pending deliveries to it are given up. All its deliveries stay in the history.'
  static override examples = [
    {description: 'Remove an endpoint', command: 'svc sandbox webhooks remove we_8d1f0c6b'},
    {
      description: 'Use it in a script, without output',
      command: 'svc sandbox webhooks remove we_8d1f0c6b2a9e4f7d3c5b1a60 --quiet',
    },
  ]
  static override exits = getExitCodes('notFound')
  static override args = {
    id: Args.string({description: 'ID of the endpoint, or its first 8 or more characters'}),
  }

  static override flags = controlFlags

  async run() {
    const {args, flags} = await this.parse(SandboxWebhooksRemove)
    const {call} = await openControl(flags)
    const id = await findEndpointId(this.finder(), call, toArgumentReference('endpoint', args.id))
    const removed = await call('webhooks.remove', {endpointId: id})
    return this.finishWrite(itemResult(removed, webhookEndpointView))
  }
}
