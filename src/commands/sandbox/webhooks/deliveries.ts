// Lists what was sent to webhook endpoints of the sandbox, what waits, and what failed.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {pagingFlags} from '../../../cli/flags/shared.ts'
import {listResult} from '../../../cli/output/result.ts'
import {webhookDeliveryView} from '../../../sandbox/views/webhooks.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxWebhooksDeliveries extends SvcCommand {
  static override view = webhookDeliveryView
  static override summary = 'List deliveries of webhooks, the newest first'
  static override description =
    'A delivery is PENDING until its endpoint answers with a 2xx. It is tried ten times, over a little more than three days of the sandbox’s own time. Without --limit the latest 20 are shown.'
  static override examples = [
    {description: 'The latest', command: 'svc sandbox webhooks deliveries'},
    {description: 'Those that were given up', command: 'svc sandbox webhooks deliveries --status FAILED --limit 100'},
    {
      description: 'How often each was tried',
      command: "svc sandbox webhooks deliveries --json | jq '.deliveries[].attempts'",
    },
  ]
  static override flags = {
    endpoint: Flags.string({summary: 'Only to this endpoint', env: 'SVC_ENDPOINT', helpValue: 'ID'}),
    event: Flags.string({summary: 'Only of this event', env: 'SVC_EVENT', helpValue: 'ID'}),
    status: Flags.option({
      summary: 'Only in this status',
      options: ['PENDING', 'DELIVERED', 'FAILED'] as const,
      env: 'SVC_STATUS',
    })(),
    limit: pagingFlags.limit,
  }

  async run() {
    const {flags} = await this.parse(SandboxWebhooksDeliveries)
    const sandbox = await openEmbeddedSandbox()
    const {deliveries, more} = sandbox.webhooks.deliveries({
      endpointId: flags.endpoint,
      eventId: flags.event,
      status: flags.status,
      limit: flags.limit,
    })
    const {length} = deliveries
    if (more) this.notice(`${length} ${length === 1 ? 'delivery' : 'deliveries'} shown; more follow: --limit N.`)
    return listResult(deliveries, 'deliveries', webhookDeliveryView)
  }
}
