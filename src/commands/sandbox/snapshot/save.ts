// Saves a snapshot of the sandbox.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {snapshotView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxSnapshotSave extends SvcCommand {
  static override view = snapshotView
  static override summary = 'Save a snapshot of the sandbox'
  static override examples = [
    {description: 'Save a snapshot before trying something', command: 'svc sandbox snapshot save before'},
    {description: 'Save a snapshot before a test, without output', command: 'svc sandbox snapshot save before --quiet'},
  ]
  static override args = {
    name: Args.string({description: 'Name of the snapshot', required: true}),
  }

  static override flags = controlFlags

  async run() {
    const {args, flags} = await this.parse(SandboxSnapshotSave)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('snapshot.save', {name: args.name}), snapshotView))
  }
}
