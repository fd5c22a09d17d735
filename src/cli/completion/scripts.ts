// The shells that svc completes in: the script of each, the name of its file, and the line that loads it.
import path from 'node:path'
import {getCacheFolder} from '../../storage/folders.ts'
import {renewPrivateFolder, replacePrivateFile} from '../../storage/private-file.ts'
import {withLock} from '../../storage/process-lock.ts'
import {quoteForShell} from '../../values/text.ts'

// Completion for bash: passes the typed line to svc, and offers what it answers. Bash replaces only the part of a word behind
// the last = or colon, so that part is passed too. Bash 3.2, which macOS has, has no compopt and no nosort.
const bashScript = `# Bash completion for svc. \`svc autocomplete bash --print\` prints it.

_svc_complete()
{
  local word="\${COMP_WORDS[COMP_CWORD]}" kind='' line
  COMPREPLY=()
  if [[ "$word" == [=:] ]]; then word=''; fi

  while IFS= read -r line; do
    if [[ -z "$kind" ]]; then kind="\${line%%$'\\t'*}"; else COMPREPLY+=("$line"); fi
  done < <("$1" autocomplete complete --shell=bash --word="$word" --line="\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)

  # File names may contain spaces, so they are read line by line.
  if [[ "$kind" == files ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
  return 0
}

complete -o nosort -F _svc_complete svc 2>/dev/null || complete -F _svc_complete svc
`

// Completion for zsh: as a file _svc in fpath, or sourced from ~/.zshrc.
const zshScript = `#compdef svc
# Zsh completion for svc. \`svc autocomplete zsh --print\` prints it.

_svc()
{
  local program="\${(Q)words[1]/#\\~\\//$HOME/}" kind prefix line value text
  local -a lines described
  lines=("\${(@f)$("$program" autocomplete complete --shell=zsh --current="\${(Q)PREFIX}" -- "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
  kind="\${lines[1]%%$'\\t'*}"
  prefix="\${lines[1]#*$'\\t'}"
  if [[ -n "$prefix" ]]; then compset -P "\${(b)prefix}"; fi
  if [[ "$kind" == files ]]; then
    _files
    return
  fi

  for line in "\${(@)lines[2,-1]}"; do
    value="\${line%%$'\\t'*}"
    text="\${line#*$'\\t'}"
    described+=("\${value//:/\\\\:}\${text:+:$text}")
  done
  # In the order that svc gives: the newest ids come first.
  _describe -V 'svc' described
}

if [[ "\${funcstack[1]}" == _svc ]]; then
  _svc "$@"
else
  if (( ! \${+functions[compdef]} )); then autoload -Uz compinit && compinit -i; fi
  compdef _svc svc
fi
`

// Completion for fish: as a file svc.fish in its folder of completions, or sourced from config.fish.
const fishScript = `# Fish completion for svc. \`svc autocomplete fish --print\` prints it.

function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] autocomplete complete --shell=fish --current="$current" -- $words[2..-1] 2>/dev/null)
    set -l header (string split \\t -- $lines[1])
    set -l prefix "$header[2]"
    if test "$header[1]" = files
        for path in (__fish_complete_path (string sub --start (math (string length -- "$prefix") + 1) -- "$current"))
            echo "$prefix$path"
        end
    else
        for line in $lines[2..-1]
            echo "$prefix$line"
        end
    end
end

complete --command svc --erase
complete --command svc --no-files --keep-order --arguments '(__svc_complete)'
`

// Completion for PowerShell 5.1 and newer. An empty argument would get lost on the way to a program, so the word that is typed
// is part of one that is never empty.
const powershellScript = `# PowerShell completion for svc. \`svc autocomplete powershell --print\` prints it.

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    $program = $commandAst.GetCommandName()
    $lines = @(& $program 'autocomplete' 'complete' '--shell=powershell' "--current=$wordToComplete" '--' @words 2>$null)
    if ($lines.Count -eq 0) { return }

    $kind, $prefix = $lines[0] -split "\`t", 2
    if ($kind -eq 'files') {
        # Without an answer, PowerShell completes file names by itself.
        if ($prefix) {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete.Substring($prefix.Length)) | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($prefix + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        }
        return
    }
    # An empty answer keeps it from doing so where no file is meant.
    if ($lines.Count -eq 1) { return '' }
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($prefix + $value, $value, 'ParameterValue', $description)
    }
}
`

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const
type ShellName = (typeof shellNames)[number]

interface Shell {
  script: string
  // As each shell finds it in its own folder of completions.
  fileName: string
  // Where the line belongs.
  startupFile: string
  // Runs the file only if it is the user's own: a shell would run whatever is in it.
  renderStartupLine: (file: string) => string
}

const quoteForFish = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`

const renderPosixLine = (file: string) => `test -O ${quoteForShell(file)} && . ${quoteForShell(file)}`

// PowerShell has no test for the owner, and each system has its own way to ask. On Windows, what an elevated prompt writes
// belongs to the administrators.
const ownedOnUnix = '(Get-Item -LiteralPath $svcFile).User -eq [Environment]::UserName'
const ownedOnWindows =
  "@([Security.Principal.WindowsIdentity]::GetCurrent().User.Value, 'S-1-5-32-544') -contains (Get-Acl -LiteralPath $svcFile).GetOwner([Security.Principal.SecurityIdentifier]).Value"

const renderPowershellLine = (file: string) =>
  [
    `$svcFile = '${file.replaceAll("'", "''")}'`,
    `if ((Test-Path -LiteralPath $svcFile -PathType Leaf) -and $(if ($IsLinux -or $IsMacOS) { ${ownedOnUnix} } else { ${ownedOnWindows} })) { . $svcFile }`,
  ].join('; ')

export const shells: Readonly<Record<ShellName, Shell>> = {
  bash: {script: bashScript, fileName: 'svc.bash', startupFile: '~/.bashrc', renderStartupLine: renderPosixLine},
  zsh: {script: zshScript, fileName: '_svc', startupFile: '~/.zshrc', renderStartupLine: renderPosixLine},
  fish: {
    script: fishScript,
    fileName: 'svc.fish',
    startupFile: '~/.config/fish/config.fish',
    renderStartupLine: (file) => `test -O ${quoteForFish(file)}; and source ${quoteForFish(file)}`,
  },
  powershell: {
    script: powershellScript,
    fileName: 'svc.ps1',
    startupFile: '$PROFILE',
    renderStartupLine: renderPowershellLine,
  },
}

// The shell of the user, as the environment names it. Windows names none.
export function detectShell(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): ShellName | undefined {
  const name = path.basename(env['SHELL'] ?? '')
  return shellNames.find((shell) => shell === name) ?? (platform === 'win32' && name === '' ? 'powershell' : undefined)
}

// The scripts are written into a new folder of their owner alone, so that none of them is a link, or a file that somebody
// else can change. One process writes at a time: another would remove the folder under it.

// Returns the file for one shell. Those of the others are written too, since somebody may use several.
export async function writeScripts(shell: ShellName): Promise<string> {
  const cache = getCacheFolder()
  const folder = path.join(cache, 'autocomplete')
  await withLock(cache, 'autocomplete', async () => {
    renewPrivateFolder(folder)
    for (const {fileName, script} of Object.values(shells)) replacePrivateFile(path.join(folder, fileName), script)
  })
  return path.join(folder, shells[shell].fileName)
}
