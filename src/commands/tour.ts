// Shows what svc does in two minutes, on a sandbox of its own.
import {SvcCommand} from '../cli/command.ts'
import {getProgram} from '../cli/config.ts'
import {writeOut} from '../cli/output/streams.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {playTour} from '../tour/play.ts'

export default class Tour extends SvcCommand {
  static override summary = 'Show what svc does, in two minutes'
  static override description =
    'Runs real commands on a sandbox of its own, in a temporary folder that is removed at the end; your profiles, your journal and your own sandbox are not touched.'
  static override examples = [
    {description: 'Take the tour', command: 'svc tour'},
    {description: 'Keep what it shows', command: 'svc tour > tour.txt'},
  ]
  static override exits = getExitCodes('interrupted')

  async run() {
    await this.parse(Tour)
    if (this.format !== 'table') throw badUsage(`A tour cannot be printed as ${this.format}`, 'Leave the format out')
    await playTour(getProgram(this.config), writeOut)
    return undefined
  }
}
