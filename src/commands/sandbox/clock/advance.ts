// Lets time pass in the sandbox at once.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {parseDuration} from '../../../cli/flags/durations.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {clockView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

const dayMs = 24 * 60 * 60 * 1000
const advanceMsMax = 100 * 366 * dayMs

export default class SandboxClockAdvance extends SvcCommand {
  static override view = clockView
  static override summary = 'Let time pass in the sandbox at once'
  static override description = 'Everything that falls due on the way happens, in order, each at its own instant.'
  static override examples = [
    {description: 'Until a quote has expired', command: 'svc sandbox clock advance 5m'},
    {description: 'A year of daily rules', command: 'svc sandbox clock advance 365d'},
  ]
  static override args = {
    duration: Args.string({description: 'How long: 30s, 5m, 2h, 7d; a bare number is seconds', required: true}),
  }

  async run() {
    const {args} = await this.parse(SandboxClockAdvance)
    const ms = parseDuration(args.duration, 'DURATION', advanceMsMax)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(itemResult(sandbox.clock.advance(ms), clockView))
  }
}
