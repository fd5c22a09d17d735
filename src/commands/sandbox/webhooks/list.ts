// Lists the webhook endpoints of the sandbox.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {sortFlags} from '../../../cli/flags/shared.ts'
import {listResult} from '../../../cli/output/result.ts'
import {webhookEndpointSecretView, webhookEndpointView} from '../../../sandbox/views/webhooks.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

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
  }

  async run() {
    const {flags} = await this.parse(SandboxWebhooksList)
    const sandbox = await openEmbeddedSandbox()
    for (const {url} of sandbox.webhooks.removeLeftovers()) {
      this.notice(`Removed ${url}: the \`svc events listen\` that made it was killed.`)
    }
    const endpoints = sandbox.webhooks.list({showSecrets: flags['show-secret']})
    const view = flags['show-secret'] ? webhookEndpointSecretView : webhookEndpointView
    return listResult(endpoints, 'endpoints', view)
  }
}
