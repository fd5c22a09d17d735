// Shows what svc does in two minutes, on a sandbox of its own.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {getProgram} from '../cli/config.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {playTour} from '../tour/play.ts'

export default class Tour extends SvcCommand {
  static override summary = 'Show what svc does, in two minutes'
  static override description =
    'Runs real commands on a sandbox of its own, in a temporary folder that is removed at the end; your profiles, your journal and your own sandbox are not touched. At a terminal, Enter runs a step, s skips it and q quits. Without a terminal, or with --no-input, it plays through at once.'
  static override examples = [
    {description: 'Take the tour', command: 'svc tour'},
    {description: 'Record it as an animated SVG', command: 'svc tour --record tour.svg'},
  ]
  static override exits = getExitCodes('done', 'interrupted')
  static override flags = {
    record: Flags.string({summary: 'Play through, and write the recording to this SVG file', helpValue: 'FILE'}),
  }

  async run() {
    const {flags} = await this.parse(Tour)
    if (this.format !== 'table') throw badUsage(`A tour cannot be printed as ${this.format}`, 'Leave the format out')
    const records = flags.record !== undefined
    const isInteractive = !records && this.isInteractive && process.stdout.isTTY
    const steps = await playTour({command: getProgram(this.config), isInteractive, records})
    if (flags.record !== undefined) {
      const {writeRecording} = await import('../tour/record.ts')
      writeRecording(flags.record, steps)
      this.notice(`The recording is in ${flags.record}.`)
    }
    return undefined
  }
}
