// Starts a stopped sandbox clock again.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxClockRun extends SvcCommand {
  static override view = clockView
  static override summary = 'Start a frozen clock again'
  static override examples = [
    {description: 'Continue from the current time', command: 'svc sandbox clock run'},
    {description: 'Print the time', command: 'svc sandbox clock run --jq .now'},
  ]

  static override flags = controlFlags

  async run() {
    const {flags} = await this.parse(SandboxClockRun)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('clock.run', {}), clockView))
  }
}
