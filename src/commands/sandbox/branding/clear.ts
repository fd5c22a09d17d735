// Removes the name and the logo from the hosted forms of the sandbox.
import {SvcCommand} from '../../../cli/command.ts'
import {itemResult} from '../../../cli/output/result.ts'
import {brandingView} from '../../../sandbox/views/branding.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

export default class SandboxBrandingClear extends SvcCommand {
  static override view = brandingView
  static override summary = 'Remove your name and logo from the hosted forms'
  static override examples = [
    {description: 'Remove both', command: 'svc sandbox branding clear'},
    {description: 'Set others', command: 'svc sandbox branding set --name Acme --logo ./logo.png'},
  ]

  async run() {
    await this.parse(SandboxBrandingClear)
    const sandbox = await openEmbeddedSandbox()
    return this.finishWrite(itemResult(sandbox.branding.clear(), brandingView))
  }
}
