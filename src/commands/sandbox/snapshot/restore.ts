// Restores a snapshot of the sandbox.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {snapshotView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

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

  static override flags = controlFlags

  async run() {
    const {args, flags} = await this.parse(SandboxSnapshotRestore)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('snapshot.restore', {name: args.name}), snapshotView))
  }
}
