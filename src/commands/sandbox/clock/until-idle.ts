// Lets everything in the sandbox come to its end.
import {SvcCommand} from '../../../cli/command.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxClockUntilIdle extends SvcCommand {
  static override view = clockView
  static override summary = 'Go on until nothing waits but rules and webhooks'
  static override examples = [
    {description: 'Let every review and transfer come to its end', command: 'svc sandbox clock until-idle'},
    {description: 'In a script, without a word', command: 'svc sandbox clock until-idle --quiet'},
  ]

  async run() {
    await this.parse(SandboxClockUntilIdle)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(itemResult(sandbox.clock.untilIdle(), clockView))
  }
}
