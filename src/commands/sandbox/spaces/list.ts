// Lists the spaces of a running server.
import {SvcCommand} from '../../../cli/command.ts'
import {serverFlags} from '../../../cli/flags/control.ts'
import {sortFlags} from '../../../cli/flags/shared.ts'
import {listResult} from '../../../cli/output/result.ts'
import {getExitCodes} from '../../../errors.ts'
import {openServerControl} from '../../../sandbox-control.ts'
import {spaceView} from '../../../sandbox/views/spaces.ts'

export default class SandboxSpacesList extends SvcCommand {
  static override view = spaceView
  static override summary = 'List the spaces of a running server'
  static override description =
    'A space is a sandbox of its own behind the port of `svc sandbox start --spaces`. It is made by the first request that names it, and ends with the server.'
  static override examples = [
    {description: 'List the spaces, with their keys', command: 'svc sandbox spaces list'},
    {
      description: 'Print the address of the console of each',
      command: "svc sandbox spaces list --jq '.spaces[].consoleUrl'",
    },
  ]
  static override exits = getExitCodes('usage', 'unauthenticated', 'unreachable')
  static override flags = {...sortFlags, ...serverFlags}

  async run() {
    const {flags} = await this.parse(SandboxSpacesList)
    const {call} = await openServerControl(flags)
    const {spaces} = await call('spaces.list', {})
    return listResult(spaces, 'spaces', spaceView)
  }
}
