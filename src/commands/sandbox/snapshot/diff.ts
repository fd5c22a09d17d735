// Shows what changed in the sandbox since a snapshot.
import {getExitCodes} from '../../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {listResult} from '../../../cli/output/result.ts'
import {differenceView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

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

  static override flags = controlFlags

  async run() {
    const {args, flags} = await this.parse(SandboxSnapshotDiff)
    const {call} = await openControl(flags)
    const {differences} = await call('snapshot.diff', {name: args.name})
    return listResult(differences, 'differences', differenceView)
  }
}
