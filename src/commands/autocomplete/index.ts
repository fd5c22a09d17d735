// Writes the completion files for bash, zsh and PowerShell and shows how to set them up: oclif's own command, with the
// values of flags added.
import Index from '../../../node_modules/@oclif/plugin-autocomplete/lib/commands/autocomplete/index.js'
import {writeCompletion} from '../../cli/completion/write-completion.ts'

export default class Autocomplete extends Index {
  static override summary = 'Set up shell completion'
  static override description =
    'Completes commands, flags and, in bash and zsh, values: profile names, ids that svc showed in a terminal before, statuses, methods, currencies and the options of a flag. The ids are in a file of your own, without names; `svc profiles remove` removes it. Run it again after updating svc.'
  static override examples = [
    {description: 'Write the completion files and show what to add to ~/.bashrc', command: 'svc autocomplete bash'},
    {description: 'Rewrite the completion files after an update', command: 'svc autocomplete --refresh-cache'},
  ] as never

  static override args = {
    shell: {...Index.args.shell, description: 'Your shell; detected by default'},
  }
  static override flags = {
    'refresh-cache': {
      ...Index.flags['refresh-cache'],
      description: 'Rewrite the completion files without printing instructions',
    },
  }

  override async run() {
    await writeCompletion(this.config, () => super.run())
  }
}
