// Lists the webhook deliveries of the sandbox: sent, pending and failed.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {pagingFlags, sortFlags} from '../../../cli/flags/shared.ts'
import {toFlagReference} from '../../../cli/ids/finder.ts'
import {listResult} from '../../../cli/output/result.ts'
import {findEndpointId, findSentId} from '../../../events/find-delivery.ts'
import {webhookDeliveryView} from '../../../sandbox/views/webhooks.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxWebhooksDeliveries extends SvcCommand {
  static override view = webhookDeliveryView
  static override summary = 'List webhook deliveries, newest first'
  static override description =
    'A delivery is PENDING until its endpoint answers with a 2xx status. It is tried ten times, over a little more than three days of sandbox time. Without --limit, the latest 20 are listed.'
  static override examples = [
    {description: 'List the latest deliveries', command: 'svc sandbox webhooks deliveries'},
    {description: 'List failed deliveries', command: 'svc sandbox webhooks deliveries --status FAILED --limit 100'},
    {
      description: 'Print the number of attempts of each delivery',
      command: "svc sandbox webhooks deliveries --jq '.deliveries[].attempts'",
    },
  ]
  static override flags = {
    endpoint: Flags.string({summary: 'Only deliveries to this endpoint', env: 'SVC_ENDPOINT', helpValue: 'ID'}),
    event: Flags.string({summary: 'Only deliveries of this event', env: 'SVC_EVENT', helpValue: 'ID'}),
    status: Flags.option({
      summary: 'Only deliveries with this status',
      options: ['PENDING', 'DELIVERED', 'FAILED'] as const,
      env: 'SVC_STATUS',
    })(),
    limit: pagingFlags.limit,
    ...sortFlags,
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxWebhooksDeliveries)
    const {call} = await openControl(flags)
    const finder = this.finder()
    const {deliveries, more} = await call('webhooks.deliveries', {
      endpointId: flags.endpoint && (await findEndpointId(finder, call, toFlagReference('endpoint', flags.endpoint))),
      eventId: flags.event && (await findSentId(finder, call, toFlagReference('event', flags.event))),
      status: flags.status,
      limit: flags.limit,
    })
    const {length} = deliveries
    if (more) this.notice(`${length} ${length === 1 ? 'delivery' : 'deliveries'} shown; more follow: --limit N.`)
    return listResult(deliveries, 'deliveries', webhookDeliveryView)
  }
}
