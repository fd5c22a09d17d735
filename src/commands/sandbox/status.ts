// Shows a summary of the sandbox: its file, clock, customers and queue.
import {SvcCommand} from '../../cli/command.ts'
import {itemResult} from '../../cli/output/result.ts'
import {sandboxView} from '../../sandbox/views/status.ts'
import {openEmbeddedSandbox} from '../../transport.ts'

export default class SandboxStatus extends SvcCommand {
  static override view = sandboxView
  static override summary = 'Show a summary of the sandbox'
  static override examples = [
    {description: 'Show file, clock, customers and queue', command: 'svc sandbox status'},
    {description: 'Print the number of active customers', command: 'svc sandbox status --jq .customers.ACTIVE'},
  ]

  async run() {
    await this.parse(SandboxStatus)
    const sandbox = await openEmbeddedSandbox()
    return itemResult(sandbox.status(), sandboxView)
  }
}
