// Writes the completion functions and says nothing: oclif's own command, and values of flags.
import Create from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/create.js'
import {withValues} from '../../cli/completion/teach.ts'

export default class AutocompleteCreate extends Create {
  override async run() {
    await withValues(this.config, () => super.run())
  }
}
