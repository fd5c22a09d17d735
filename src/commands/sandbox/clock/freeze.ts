// Stops the sandbox clock.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {badUsage} from '../../../errors.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxClockFreeze extends SvcCommand {
  static override view = clockView
  static override summary = 'Stop the sandbox clock'
  static override examples = [
    {description: 'Stop at the current time', command: 'svc sandbox clock freeze'},
    {description: 'Stop at a later time', command: 'svc sandbox clock freeze --at 2030-01-01T00:00:00Z'},
  ]
  static override flags = {
    at: Flags.string({summary: 'Time to stop at, ISO 8601; not in the past', helpValue: 'TIME'}),
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxClockFreeze)
    const at = flags.at === undefined ? undefined : new Date(flags.at)
    if (at && Number.isNaN(at.getTime())) {
      throw badUsage(`--at "${flags.at}" is not a time`, 'Write it as 2030-01-01T00:00:00Z')
    }
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('clock.freeze', {at: at?.toISOString()}), clockView))
  }
}
