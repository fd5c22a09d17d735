// Moves the sandbox clock to the next scheduled event.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxClockToNext extends SvcCommand {
  static override view = clockView
  static override summary = 'Move the clock to the next scheduled event'
  static override examples = [
    {description: 'Go through outcomes one at a time', command: 'svc sandbox clock to-next'},
    {description: 'Print the new time', command: 'svc sandbox clock to-next --jq .now'},
  ]

  static override flags = controlFlags

  async run() {
    const {flags} = await this.parse(SandboxClockToNext)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('clock.to-next', {}), clockView))
  }
}
