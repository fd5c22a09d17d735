// Lists the magic values of the sandbox: which text in which field selects which outcome.
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import {sortFlags} from '../../cli/flags/shared.ts'
import {listResult} from '../../cli/output/result.ts'
import {magicView} from '../../sandbox/views/magic-values.ts'
import {openControl} from '../../sandbox-control.ts'

export default class SandboxMagic extends SvcCommand {
  static override view = magicView
  static override summary = 'List the magic values of the sandbox'
  static override description =
    'A magic value is text in an ordinary field that selects an outcome. It affects only the submission that contains it, so a correction without it succeeds. A field may contain several; the one with the lowest precedence wins. Verification reads them from accountPurposeOther, legalMiddleName, streetLine2 and the description of a document.'
  static override examples = [
    {description: 'List all magic values', command: 'svc sandbox magic'},
    {
      description: 'Print the value for an issue code',
      command: `svc sandbox magic --jq '.magic[] | select(.code == "DOC_QUALITY_POOR").value'`,
    },
  ]

  static override flags = {...sortFlags, ...controlFlags}

  async run() {
    const {flags} = await this.parse(SandboxMagic)
    const {call} = await openControl(flags)
    const {magic} = await call('magic', {})
    return listResult(magic, 'magic', magicView)
  }
}
