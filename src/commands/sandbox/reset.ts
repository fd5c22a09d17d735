// Deletes everything in the sandbox and seeds it again.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {itemResult} from '../../cli/output/result.ts'
import {sandboxView} from '../../sandbox/views/status.ts'
import {openEmbeddedSandbox} from '../../transport.ts'

export default class SandboxReset extends SvcCommand {
  static override view = sandboxView
  static override summary = 'Delete everything in the sandbox and seed it again'
  static override description =
    'Does not ask for confirmation, because the sandbox contains only test data. With --seed, all random values, including the API key, are derived from the text and are the same on every machine.'
  static override examples = [
    {description: 'Start again', command: 'svc sandbox reset'},
    {description: 'Get the same data on every machine', command: 'svc sandbox reset --seed docs'},
  ]
  static override flags = {
    seed: Flags.string({summary: 'Text from which all random values are derived', helpValue: 'TEXT'}),
  }

  async run() {
    const {flags} = await this.parse(SandboxReset)
    const sandbox = await openEmbeddedSandbox()
    sandbox.reset({...(flags.seed !== undefined && {seed: flags.seed})})
    return this.finishWrite(itemResult(sandbox.status(), sandboxView))
  }
}
