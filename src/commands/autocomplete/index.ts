// Sets up completion in a shell: writes its script and prints the line that loads it, or prints the script itself.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {detectShell, shellNames, shells, writeScripts} from '../../cli/completion/scripts.ts'
import {writeOut} from '../../cli/output/streams.ts'
import {badUsage, getExitCodes} from '../../errors.ts'

export default class Autocomplete extends SvcCommand {
  static override exits = getExitCodes('done', 'usage')
  static override summary = 'Set up shell completion'
  static override description =
    'Completes commands, flags and values: profile names, ids that svc showed in a terminal before, statuses, columns, methods, currencies, files and the options of a flag. Writes the script of the shell and prints the line to add to its startup file. With --print it prints the script, to put where the shell looks for completions.\nThe script asks svc, so it stays right when svc is updated. Nothing is sent while you complete. The ids are in a file of your own, without names; `svc profiles remove` removes it.'
  static override examples = [
    {description: 'Set up bash, and open a new shell', command: 'svc autocomplete bash >> ~/.bashrc'},
    {
      description: 'Put the script where zsh looks for it, if fpath has this folder',
      command: 'svc autocomplete zsh --print > ~/.zfunc/_svc',
    },
    {
      description: 'Put the script where fish looks for it',
      command: 'svc autocomplete fish --print > ~/.config/fish/completions/svc.fish',
    },
    {description: 'Load it in PowerShell', command: 'svc autocomplete powershell >> $PROFILE'},
  ]

  static override args = {
    shell: Args.string({description: 'Your shell; detected by default', options: [...shellNames]}),
  }
  static override flags = {
    print: Flags.boolean({summary: 'Print the script instead of writing it to a file'}),
  }

  async run() {
    const {args, flags} = await this.parse(Autocomplete)
    const shell = shellNames.find((name) => name === args.shell) ?? detectShell(process.env, process.platform)
    if (!shell) {
      throw badUsage('It is not known which shell you use', `Name it: ${shellNames.join(', ')}; nothing was written`)
    }
    const {script, startupFile, renderStartupLine} = shells[shell]
    if (flags.print) await writeOut(script)
    else {
      await writeOut(`${renderStartupLine(await writeScripts(shell))}\n`)
      this.notice(
        `Add this line to ${startupFile}, such as with \`svc autocomplete ${shell} >> ${startupFile}\`, and open a new shell.`,
      )
    }
    return undefined
  }
}
