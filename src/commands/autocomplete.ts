// Prints the completion script of a shell.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../cli/command.ts'
import {type ShellName, renderScript, shellNames} from '../cli/completion.ts'
import {toSvcConfig} from '../cli/config.ts'
import {writeOut} from '../cli/output/streams.ts'
import {getExitCodes} from '../errors.ts'

// Where each shell looks for it.
const places: Readonly<Record<ShellName, string>> = {
  bash: '~/.local/share/bash-completion/completions/svc',
  zsh: '~/.zfunc/_svc',
  fish: '~/.config/fish/completions/svc.fish',
}

export default class Autocomplete extends SvcCommand {
  static override exits = getExitCodes('usage')
  static override summary = 'Print the completion script of a shell'
  static override description =
    'The script completes commands, flags, and the values that svc knows beforehand: formats, columns, options and files. It never asks svc, so print it again after an update.'
  static override examples = [
    {description: 'Set up bash, and open a new shell', command: `svc autocomplete bash > ${places.bash}`},
    {
      description: 'Set up zsh, if `fpath` in ~/.zshrc has this folder',
      command: `svc autocomplete zsh > ${places.zsh}`,
    },
  ]

  static override args = {
    shell: Args.string({description: 'Your shell', options: shellNames, required: true}),
  }

  async run() {
    const {args} = await this.parse(Autocomplete)
    const shell = args.shell as ShellName
    await writeOut(renderScript(shell, await toSvcConfig(this.config).readHelp()))
    this.notice(`Put it where ${shell} finds it: \`svc autocomplete ${shell} > ${places[shell]}\``)
    return undefined
  }
}
