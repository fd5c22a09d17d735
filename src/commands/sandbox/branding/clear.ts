// Removes the name and the logo from the hosted forms of the sandbox.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {brandingView} from '../../../sandbox/views/branding.ts'
import {openControl} from '../../../sandbox-control.ts'

export default class SandboxBrandingClear extends SvcCommand {
  static override view = brandingView
  static override summary = 'Remove your name and logo from the hosted forms'
  static override examples = [
    {description: 'Remove both', command: 'svc sandbox branding clear'},
    {description: 'Set others', command: 'svc sandbox branding set --name Acme --logo ./logo.png'},
  ]

  static override flags = controlFlags

  async run() {
    const {flags} = await this.parse(SandboxBrandingClear)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('branding.clear', {}), brandingView))
  }
}
