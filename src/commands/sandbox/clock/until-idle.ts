// Moves the sandbox clock until only rules and webhooks are waiting.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxClockUntilIdle extends SvcCommand {
  static override view = clockView
  static override summary = 'Move the clock until only rules and webhooks are waiting'
  static override examples = [
    {description: 'Finish every review and transfer', command: 'svc sandbox clock until-idle'},
    {description: 'Use it in a script, without output', command: 'svc sandbox clock until-idle --quiet'},
  ]

  static override flags = controlFlags

  async run() {
    const {flags} = await this.parse(SandboxClockUntilIdle)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('clock.until-idle', {}), clockView))
  }
}
