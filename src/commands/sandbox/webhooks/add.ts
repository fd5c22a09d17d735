// Registers a webhook endpoint in the sandbox.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {wholeNumberParser} from '../../../cli/flags/shared.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {webhookEndpointView} from '../../../sandbox/views/webhooks.ts'
import {openControl} from '../../../sandbox-control.ts'

const copiesMin = 2
const copiesMax = 10

export default class SandboxWebhooksAdd extends SvcCommand {
  static override view = webhookEndpointView
  static override summary = 'Register a webhook endpoint, and show its secret'
  static override description =
    'Events are signed according to Standard Webhooks with the secret that is printed. They are sent only while `svc sandbox start` is running, and only to this machine.'
  static override examples = [
    {
      description: 'Receive events when customers change',
      command: 'svc sandbox webhooks add http://localhost:3000/hook',
    },
    {
      description: 'Print the secret for your own code',
      command: 'svc sandbox webhooks add http://localhost:3000/hook --jq .secret',
    },
    {
      description: 'Test duplicates and wrong order',
      command: 'svc sandbox webhooks add http://localhost:3000/hook --duplicate 2 --reorder',
    },
  ]
  static override args = {
    url: Args.string({description: 'URL to send events to: http or https, on this machine', required: true}),
  }
  static override flags = {
    duplicate: Flags.custom<number>({
      summary: 'Deliver each event N times',
      helpValue: 'N',
      parse: wholeNumberParser(copiesMin, copiesMax),
    })(),
    reorder: Flags.boolean({summary: 'Deliver every two events in swapped order'}),
    'allow-remote': Flags.boolean({summary: 'Allow another machine, over https'}),
    ...controlFlags,
  }

  async run() {
    const {args, flags} = await this.parse(SandboxWebhooksAdd)
    const {call} = await openControl(flags)
    const endpoint = await call('webhooks.add', {
      url: args.url,
      copies: flags.duplicate,
      reorder: flags.reorder,
      allowRemote: flags['allow-remote'],
    })
    return this.finishWrite(itemResult(endpoint, webhookEndpointView))
  }
}
