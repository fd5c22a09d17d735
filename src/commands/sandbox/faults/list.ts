// Lists the faults of the sandbox, including used-up ones.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {sortFlags} from '../../../cli/flags/shared.ts'
import type {Result} from '../../../cli/output/result.ts'
import {faultView} from '../../../sandbox/views/requests-and-faults.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxFaultsList extends SvcCommand {
  static override view = faultView
  static override summary = 'List the faults of the sandbox'
  static override description = 'Used-up faults are listed until they are cleared. JSON also includes the behaviours.'
  static override examples = [
    {description: 'List faults and how often they were applied', command: 'svc sandbox faults list'},
    {description: 'Print the behaviours', command: 'svc sandbox faults list --jq .behaviours'},
  ]

  static override flags = {...sortFlags, ...controlFlags}

  async run(): Promise<Result> {
    const {flags} = await this.parse(SandboxFaultsList)
    const {call} = await openControl(flags)
    async function* pages() {
      const {behaviours, faults: items} = await call('faults.list', {})
      yield {items, envelope: {behaviours, faults: items}}
    }
    return {kind: 'list', key: 'faults', view: faultView, pages: pages()}
  }
}
