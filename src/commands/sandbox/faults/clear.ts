// Removes faults from the sandbox, one or all.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {listResult} from '../../../cli/output/result.ts'
import {faultView} from '../../../sandbox/views/requests-and-faults.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxFaultsClear extends SvcCommand {
  static override summary = 'Remove one fault, or all'
  static override description =
    'Prints the removed faults. Behaviours stay; reset them with `svc sandbox faults set --reset`.'
  static override examples = [
    {description: 'Remove all faults', command: 'svc sandbox faults clear'},
    {description: 'Remove one fault', command: 'svc sandbox faults clear fault_0a1b2c3d4e5f60718293a4b5'},
  ]
  static override exits = getExitCodes('notFound')
  static override args = {
    id: Args.string({description: 'ID of a fault; all faults by default'}),
  }

  static override flags = controlFlags

  async run() {
    const {args, flags} = await this.parse(SandboxFaultsClear)
    const {call} = await openControl(flags)
    const {faults} = await call('faults.clear', {faultId: args.id})
    return this.finishWrite(listResult(faults, 'faults', faultView))
  }
}
