// Writes the completion functions and says nothing: oclif's own command, and values of flags.
import Create from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/create.js'
import {writeCompletion} from '../../cli/completion/write-completion.ts'

export default class AutocompleteCreate extends Create {
  override async run() {
    await writeCompletion(this.config, () => super.run())
  }
}
