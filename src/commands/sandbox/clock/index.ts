// Shows the time in the sandbox.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxClock extends SvcCommand {
  static override view = clockView
  static override summary = 'Show the time in the sandbox'
  static override description =
    'The sandbox has its own clock, which drives reviews, settlements, expiries, rules and webhook attempts. It runs at normal speed unless it is frozen. You can move it forward; only restoring a snapshot moves it back.'
  static override examples = [
    {description: 'Show the time', command: 'svc sandbox clock'},
    {description: 'Move the clock forward by five minutes', command: 'svc sandbox clock advance 5m'},
  ]

  static override flags = controlFlags

  async run() {
    const {flags} = await this.parse(SandboxClock)
    const {call} = await openControl(flags)
    return itemResult(await call('clock', {}), clockView)
  }
}
