// Lists the magic values of the sandbox: what to type into which field to get which outcome.
import {SvcCommand} from '../../cli/command.ts'
import {listResult} from '../../cli/output/result.ts'
import {magicView} from '../../sandbox/views/magic-values.ts'
import {openEmbeddedSandbox} from '../../transport.ts'

export default class SandboxMagic extends SvcCommand {
  static override view = magicView
  static override summary = 'List the magic values of the sandbox'
  static override description =
    'Text in an ordinary field that chooses an outcome. A value acts only on the submission that carries it, so that a correction without it succeeds. Several may stand in one field; the lowest precedence decides. Verification takes them in accountPurposeOther, and as well in legalMiddleName, streetLine2 and the description of a document.'
  static override examples = [
    {description: 'All of them', command: 'svc sandbox magic'},
    {
      description: 'What to type for an issue code',
      command: `svc sandbox magic --json | jq -r '.magic[] | select(.code == "DOC_QUALITY_POOR").value'`,
    },
  ]

  async run() {
    await this.parse(SandboxMagic)
    const sandbox = await openEmbeddedSandbox()
    return listResult(sandbox.verification.magic(), 'magic', magicView)
  }
}
