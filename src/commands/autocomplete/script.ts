// Prints the line to add to a shell's startup file: oclif's own command, imported by path because the package exports none,
// with a check that the file to run is the user's own.
import Script from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/script.js'
import {sourceOwnFile} from '../../cli/completion/write-completion.ts'

export default class AutocompleteScript extends Script {
  override log(message = '', ...args: unknown[]) {
    super.log(sourceOwnFile(message), ...args)
  }
}
