// Lists the snapshots of the sandbox.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {sortFlags} from '../../../cli/flags/shared.ts'
import {listResult} from '../../../cli/output/result.ts'
import {snapshotView} from '../../../sandbox/views/clock-and-snapshots.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxSnapshotList extends SvcCommand {
  static override view = snapshotView
  static override summary = 'List snapshots of the sandbox'
  static override examples = [
    {description: 'List snapshots, oldest first', command: 'svc sandbox snapshot list'},
    {description: 'Print only the names', command: "svc sandbox snapshot list --jq '.snapshots[].name'"},
  ]

  static override flags = {...sortFlags, ...controlFlags}

  async run() {
    const {flags} = await this.parse(SandboxSnapshotList)
    const {call} = await openControl(flags)
    const {snapshots} = await call('snapshot.list', {})
    return listResult(snapshots, 'snapshots', snapshotView)
  }
}
