// Prints values that change, such as profile names, one per line. Shell completion calls it.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {listSafeNames} from '../../profiles/profiles.ts'
import {writeOut} from '../../cli/output/streams.ts'

export default class AutocompleteValues extends SvcCommand {
  static override hidden = true
  static override summary = 'Print values for completion'
  static override examples = [
    {description: 'Print the names of all profiles', command: 'svc autocomplete values profiles'},
  ]
  static override args = {
    what: Args.string({description: 'What to print', options: ['profiles'], required: true}),
  }

  async run() {
    await this.parse(AutocompleteValues)
    await writeOut(`${listSafeNames().join('\n')}\n`)
    return undefined
  }
}
