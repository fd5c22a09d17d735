// The shells that svc completes in: the script of each, the name of its file, and the line that loads it.
import path from 'node:path'
import {quoteForShell} from '../../values/text.ts'
import {bashScript} from './scripts/bash.ts'
import {fishScript} from './scripts/fish.ts'
import {powershellScript} from './scripts/powershell.ts'
import {zshScript} from './scripts/zsh.ts'

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const
export type ShellName = (typeof shellNames)[number]

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
