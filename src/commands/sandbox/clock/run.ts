// Starts a stopped sandbox clock again.
import {SvcCommand} from '../../../cli/command.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxClockRun extends SvcCommand {
  static override view = clockView
  static override summary = 'Start a frozen clock again'
  static override examples = [
    {description: 'Continue from the current time', command: 'svc sandbox clock run'},
    {description: 'Print the time', command: 'svc sandbox clock run --jq .now'},
  ]

  async run() {
    await this.parse(SandboxClockRun)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(itemResult(sandbox.clock.run(), clockView))
  }
}
