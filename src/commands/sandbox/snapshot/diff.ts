// Shows what changed in the sandbox since a snapshot.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {listResult} from '../../../cli/output/result.ts'
import {differenceView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxSnapshotDiff extends SvcCommand {
  static override view = differenceView
  static override summary = 'Show what changed since a snapshot'
  static override examples = [
    {description: 'Show the changes', command: 'svc sandbox snapshot diff before'},
    {
      description: 'Count the changed rows',
      command: "svc sandbox snapshot diff before --jq '.differences | length'",
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    name: Args.string({description: 'Name of the snapshot', required: true}),
  }

  async run() {
    const {args} = await this.parse(SandboxSnapshotDiff)
    const sandbox = await openEmbeddedSandbox()
    return listResult(sandbox.snapshots.diff(args.name), 'differences', differenceView)
  }
}
