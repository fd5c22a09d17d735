// Shows a summary of the sandbox: its file, clock, customers and queue.
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import {itemResult} from '../../cli/output/result.ts'
import {sandboxView} from '../../sandbox/views/status.ts'
import {openControl} from '../../sandbox-control.ts'

export default class SandboxStatus extends SvcCommand {
  static override view = sandboxView
  static override summary = 'Show a summary of the sandbox'
  static override examples = [
    {description: 'Show file, clock, customers and queue', command: 'svc sandbox status'},
    {
      description: 'Print where programs control the running server, and the token for it',
      command: "svc sandbox status --jq '{controlUrl, controlToken, controlOpenapiUrl}'",
    },
    {description: 'Print the number of active customers', command: 'svc sandbox status --jq .customers.ACTIVE'},
  ]

  static override flags = controlFlags

  async run() {
    const {flags} = await this.parse(SandboxStatus)
    const control = await openControl(flags)
    const status = await control.call('status', {})
    return itemResult({...status, ...(await control.findServer())}, sandboxView)
  }
}
