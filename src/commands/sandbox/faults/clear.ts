// Takes faults of the sandbox away, all or one.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {listResult} from '../../../cli/output/result.ts'
import {faultView} from '../../../sandbox/views/requests-and-faults.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxFaultsClear extends SvcCommand {
  static override summary = 'Take faults away, all or one'
  static override description =
    'Shows what was taken away. Behaviours stay: `svc sandbox faults set --reset` is for them.'
  static override examples = [
    {description: 'All of them', command: 'svc sandbox faults clear'},
    {description: 'One', command: 'svc sandbox faults clear fault_0a1b2c3d4e5f60718293a4b5'},
  ]
  static override exits = getExitCodes('notFound')
  static override args = {
    id: Args.string({description: 'Id of a fault; without it, all are taken away'}),
  }

  async run() {
    const {args} = await this.parse(SandboxFaultsClear)
    const {faults} = await openEmbeddedSandbox()
    return this.finishWrite(listResult(faults.clear(args.id), 'faults', faultView))
  }
}
