// Removes faults from the sandbox, one or all.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {listResult} from '../../../cli/output/result.ts'
import {faultView} from '../../../sandbox/views/requests-and-faults.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

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

  async run() {
    const {args} = await this.parse(SandboxFaultsClear)
    const {faults} = await openEmbeddedSandbox()
    return this.finishWrite(listResult(faults.clear(args.id), 'faults', faultView))
  }
}
