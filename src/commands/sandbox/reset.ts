// Throws away everything in the sandbox and seeds it anew.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {itemResult} from '../../cli/output/result.ts'
import {sandboxView} from '../../sandbox/views/status.ts'
import {openEmbeddedSandbox} from '../../transport.ts'

export default class SandboxReset extends SvcCommand {
  static override view = sandboxView
  static override summary = 'Throw away everything in the sandbox and seed it anew'
  static override description =
    'Play data only, so it does not ask. With --seed everything that is random, the API key included, follows from the text given, and is the same on every machine.'
  static override examples = [
    {description: 'A fresh start', command: 'svc sandbox reset'},
    {description: 'The same start everywhere', command: 'svc sandbox reset --seed docs'},
  ]
  static override flags = {
    seed: Flags.string({summary: 'Text from which everything random follows', helpValue: 'TEXT'}),
  }

  async run() {
    const {flags} = await this.parse(SandboxReset)
    const sandbox = await openEmbeddedSandbox()
    sandbox.reset({...(flags.seed !== undefined && {seed: flags.seed})})
    return this.finishWrite(itemResult(sandbox.status(), sandboxView))
  }
}
