// Lists the webhook endpoints of the sandbox.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {sortFlags} from '../../../cli/flags/shared.ts'
import {listResult} from '../../../cli/output/result.ts'
import {webhookEndpointSecretView, webhookEndpointView} from '../../../sandbox/views/webhooks.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxWebhooksList extends SvcCommand {
  static override view = webhookEndpointView
  static override summary = 'List the webhook endpoints of the sandbox'
  static override examples = [
    {description: 'List the endpoints', command: 'svc sandbox webhooks list'},
    {description: 'List them with their secrets', command: 'svc sandbox webhooks list --show-secret --json'},
  ]
  static override flags = {
    'show-secret': Flags.boolean({summary: 'Show secrets in full', env: 'SVC_SHOW_SECRET'}),
    ...sortFlags,
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxWebhooksList)
    const {call} = await openControl(flags)
    const showSecrets = flags['show-secret']
    const {endpoints, removed} = await call('webhooks.list', {showSecrets, removeLeftovers: true})
    for (const {url} of removed) {
      this.notice(`Removed ${url}: the \`svc events listen\` that made it was killed.`)
    }
    const view = showSecrets ? webhookEndpointSecretView : webhookEndpointView
    return listResult(endpoints, 'endpoints', view)
  }
}
