// Prints values that change, such as profile names and ids that were shown before, one per line. Shell completion calls it.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {idKinds, listSeenIds} from '../../cli/completion/seen-ids.ts'
import {dynamicSources} from '../../cli/completion/value-sources.ts'
import {findCaller} from '../../profiles/caller.ts'
import {listSafeNames} from '../../profiles/profiles.ts'
import {writeOut} from '../../cli/output/streams.ts'

export default class AutocompleteValues extends SvcCommand {
  static override hidden = true
  static override summary = 'Print values for completion'
  static override examples = [
    {description: 'Print the names of all profiles', command: 'svc autocomplete values profiles'},
  ]
  static override args = {
    what: Args.string({description: 'What to print', options: [...dynamicSources], required: true}),
  }

  async run() {
    const {args, flags} = await this.parse(AutocompleteValues)
    const kind = idKinds.find((name) => name === args.what)
    const values = kind ? listSeenIds(findCaller(flags.profile)?.profileName, kind) : listSafeNames()
    await writeOut(`${values.join('\n')}\n`)
    return undefined
  }
}
