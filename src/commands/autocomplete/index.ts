// Writes the completion of bash, zsh and PowerShell and shows how to set it up: oclif's own command, and values of flags.
import Index from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/index.js'
import {writeCompletion} from '../../cli/completion/write-completion.ts'

export default class Autocomplete extends Index {
  static override summary = 'Set up completion of commands, flags and values in a shell'
  static override description =
    'Values are names of profiles, statuses, methods, currencies and whatever else a flag can choose from: in bash and zsh. Run it again after an update of svc.'
  static override examples = [
    {description: 'Write the files, and show what to add to ~/.bashrc', command: 'svc autocomplete bash'},
    {description: 'After an update', command: 'svc autocomplete --refresh-cache'},
  ] as never

  override async run() {
    await writeCompletion(this.config, () => super.run())
  }
}
