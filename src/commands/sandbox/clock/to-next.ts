// Moves the sandbox clock to the next scheduled event.
import {SvcCommand} from '../../../cli/command.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxClockToNext extends SvcCommand {
  static override view = clockView
  static override summary = 'Move the clock to the next scheduled event'
  static override examples = [
    {description: 'Go through outcomes one at a time', command: 'svc sandbox clock to-next'},
    {description: 'Print the new time', command: 'svc sandbox clock to-next --jq .now'},
  ]

  async run() {
    await this.parse(SandboxClockToNext)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(itemResult(sandbox.clock.toNext(), clockView))
  }
}
