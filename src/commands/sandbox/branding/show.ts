// Shows which name and logo the hosted forms of the sandbox have.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {brandingView} from '../../../sandbox/views/branding.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxBrandingShow extends SvcCommand {
  static override view = brandingView
  static override summary = 'Show the name and logo of the hosted forms'
  static override examples = [
    {description: 'Show them', command: 'svc sandbox branding show'},
    {description: 'Print the name', command: 'svc sandbox branding show --json | jq -r .name'},
  ]

  static override flags = controlFlags

  async run() {
    const {flags} = await this.parse(SandboxBrandingShow)
    const {call} = await openControl(flags)
    return itemResult(await call('branding.show', {}), brandingView)
  }
}
