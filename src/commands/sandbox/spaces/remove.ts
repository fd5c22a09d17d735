// Removes a space of a running server, with everything in it.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {serverFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {getExitCodes} from '../../../errors.ts'
import {openServerControl} from '../../../sandbox-control.ts'
import {spaceView} from '../../../sandbox/views/spaces.ts'

export default class SandboxSpacesRemove extends SvcCommand {
  static override view = spaceView
  static override summary = 'Remove a space with everything in it'
  static override description =
    'Does not ask for confirmation, because a space contains only test data. The next request that names it makes a new one.'
  static override examples = [
    {description: 'Remove the space of a test', command: 'svc sandbox spaces remove gw0'},
    {description: 'Use it in a script, without output', command: 'svc sandbox spaces remove gw0 --quiet'},
  ]
  static override exits = getExitCodes('usage', 'unauthenticated', 'notFound', 'unreachable')
  static override args = {name: Args.string({description: 'Name of the space', required: true})}
  static override flags = serverFlags

  async run() {
    const {args, flags} = await this.parse(SandboxSpacesRemove)
    const {call} = await openServerControl(flags)
    return this.finishWrite(itemResult(await call('spaces.remove', {name: args.name}), spaceView))
  }
}
