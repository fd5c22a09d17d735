// Saves a snapshot of the sandbox.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {snapshotView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

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

  async run() {
    const {args} = await this.parse(SandboxSnapshotSave)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(itemResult(sandbox.snapshots.save(args.name), snapshotView))
  }
}
