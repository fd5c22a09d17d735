// Prints completions for a shell. The script of the shell calls it; bin/run.js answers it without loading the rest of svc, and
// this command does where svc is started in another way.
import {SvcCommand} from '../../cli/command.ts'
import {answerShell, createCompletionSource} from '../../cli/completion/complete.ts'
import {readHelpSource} from '../../cli/help/help-source.ts'
import {getEmbeddedFiles} from '../../cli/config.ts'
import {writeOut} from '../../cli/output/streams.ts'

export default class AutocompleteComplete extends SvcCommand {
  static override hidden = true
  // What is being typed is not checked.
  static override strict = false
  static override summary = 'Print completions for a shell'
  static override examples = [
    {
      description: 'Print how `svc customers l` goes on',
      command: 'svc autocomplete complete --shell=zsh --current=l -- customers',
    },
  ]

  async run() {
    const files = {root: this.config.root, embedded: getEmbeddedFiles(this.config)}
    const source = createCompletionSource(await readHelpSource(this.config), files)
    await writeOut(await answerShell(this.argv, source))
    return undefined
  }
}
