// Deletes everything in the sandbox and seeds it again.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {controlFlags} from '../../cli/flags/control.ts'
import {itemResult} from '../../cli/output/result.ts'
import {sandboxView} from '../../sandbox/views/status.ts'
import {openControl} from '../../sandbox-control.ts'

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
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxReset)
    const {call} = await openControl(flags)
    return this.finishWrite(itemResult(await call('reset', {seed: flags.seed}), sandboxView))
  }
}
