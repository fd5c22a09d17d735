// Shows what time it is in the sandbox.
import {SvcCommand} from '../../../cli/command.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxClock extends SvcCommand {
  static override view = clockView
  static override summary = 'Show what time it is in the sandbox'
  static override description =
    'The sandbox has a clock of its own: reviews, settlements, expiries, rules and webhook attempts wait for it. It runs at wall speed unless it is frozen, and goes forward by command; back only by a snapshot.'
  static override examples = [
    {description: 'Now, there', command: 'svc sandbox clock'},
    {description: 'Let five minutes pass', command: 'svc sandbox clock advance 5m'},
  ]

  async run() {
    await this.parse(SandboxClock)
    const sandbox = await openEmbeddedSandbox()
    return itemResult(sandbox.clock.status(), clockView)
  }
}
