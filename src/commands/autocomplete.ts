// Prints the completion script of a shell.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../cli/command.ts'
import {type ShellName, renderScript, shellNames} from '../cli/completion.ts'
import {toSvcConfig} from '../cli/config.ts'
import {listPages} from '../cli/docs.ts'
import {writeOut} from '../cli/output/streams.ts'
import {getExitCodes} from '../errors.ts'

// Where each shell looks for it: the folder, which a new home does not have, and the file.
const places: Readonly<Record<ShellName, readonly [folder: string, file: string]>> = {
  bash: ['~/.local/share/bash-completion/completions', 'svc'],
  zsh: ['~/.zfunc', '_svc'],
  fish: ['~/.config/fish/completions', 'svc.fish'],
}

function describeSetup(shell: ShellName): string {
  const [folder, file] = places[shell]
  return `mkdir -p ${folder} && svc autocomplete ${shell} > ${folder}/${file}`
}

export default class Autocomplete extends SvcCommand {
  static override exits = getExitCodes('usage')
  static override summary = 'Print the completion script of a shell'
  static override description =
    'The script completes commands, flags, and the values that svc knows beforehand: formats, columns, statuses, types, pages of the documentation, options and files; print it again after an update. It asks svc only for the names of your profiles.'
  static override examples = [
    {description: 'Set up bash, and open a new shell', command: describeSetup('bash')},
    {
      description: 'Set up zsh, if `fpath` in ~/.zshrc has this folder',
      command: describeSetup('zsh'),
    },
  ]

  static override args = {
    shell: Args.string({description: 'Your shell', options: shellNames, required: true}),
  }

  async run() {
    const {args} = await this.parse(Autocomplete)
    const shell = args.shell as ShellName
    const {embedded, readHelp} = toSvcConfig(this.config)
    const pages = listPages(this.config.root, embedded).map(({page}) => page.split('/').at(-1) ?? page)
    await writeOut(renderScript(shell, await readHelp(), [...new Set(pages)]))
    this.notice(`Put it where ${shell} finds it: \`${describeSetup(shell)}\``)
    return undefined
  }
}
