// Restores a snapshot of the sandbox.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {snapshotView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxSnapshotRestore extends SvcCommand {
  static override view = snapshotView
  static override summary = 'Restore a snapshot, including its time'
  static override examples = [
    {description: 'Restore a snapshot', command: 'svc sandbox snapshot restore before'},
    {
      description: 'Restore a snapshot after a test, without output',
      command: 'svc sandbox snapshot restore before --quiet',
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    name: Args.string({description: 'Name of the snapshot', required: true}),
  }

  async run() {
    const {args} = await this.parse(SandboxSnapshotRestore)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(itemResult(sandbox.snapshots.restore(args.name), snapshotView))
  }
}
