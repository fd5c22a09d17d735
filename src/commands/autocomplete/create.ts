// Writes the completion files without output: oclif's own command, with the values of flags added.
import Create from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/create.js'
import {writeCompletion} from '../../cli/completion/write-completion.ts'

export default class AutocompleteCreate extends Create {
  override async run() {
    await writeCompletion(this.config, () => super.run())
  }
}
