// Moves the sandbox clock forward.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {parseDuration} from '../../../cli/flags/durations.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'
import {dayMs} from '../../../values/time.ts'

const advanceMsMax = 100 * 366 * dayMs

export default class SandboxClockAdvance extends SvcCommand {
  static override view = clockView
  static override summary = 'Move the sandbox clock forward'
  static override description = 'Everything that becomes due on the way happens in order, each at its own time.'
  static override examples = [
    {description: 'Let a quote expire', command: 'svc sandbox clock advance 5m'},
    {description: 'Run a year of daily rules', command: 'svc sandbox clock advance 365d'},
  ]
  static override args = {
    duration: Args.string({
      description: 'Duration, such as 30s, 5m, 2h or 7d; a plain number is seconds',
      required: true,
    }),
  }

  static override flags = controlFlags

  async run() {
    const {args, flags} = await this.parse(SandboxClockAdvance)
    parseDuration(args.duration, 'DURATION', advanceMsMax)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('clock.advance', {duration: args.duration}), clockView))
  }
}
