// Adds the values of flags to the completion files that oclif's plugin writes.
import {readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import type {Command, Interfaces} from '@oclif/core'
import {renewPrivateFolder} from '../../storage/private-file.ts'
import {withLock} from '../../storage/process-lock.ts'
import {renderBashCompletion} from './bash.ts'
import {type DynamicSource, dynamicSources, findFlagValues, isDynamicSource} from './value-sources.ts'

const listCommands = (config: Interfaces.Config): Command.Cached[] =>
  config.getPluginsList().flatMap(({commands}) => commands as Command.Cached[])

// A placeholder in the plugin's zsh file, which is replaced by a call of svc that lists the values.
const toMark = (source: DynamicSource) => `@${source}`
const markPattern = new RegExp(String.raw`:([\w-]+) options:\(@(${dynamicSources.join('|')})\)`, 'g')
const toZshCall = (_: string, flag: string, source: string) =>
  `:${flag}:{compadd -- \\$(svc autocomplete values ${source} 2>/dev/null)}`

// Runs before the plugin writes: in zsh it completes the options of a flag.
function addOptionValues(config: Interfaces.Config): void {
  for (const {id, flags} of listCommands(config)) {
    for (const flag of Object.values(flags)) {
      const values = findFlagValues(id, flag)
      if (flag.type !== 'option' || !values || values === 'files') continue
      flag.options = isDynamicSource(values) ? [toMark(values)] : [...values]
    }
  }
}

// Runs after it: zsh lists profiles and ids when needed, and bash gets its own completion.
async function addValuesToFiles(config: Interfaces.Config, bash: string): Promise<void> {
  const folder = path.join(config.cacheDir, 'autocomplete', 'functions')
  const zshFile = path.join(folder, 'zsh', '_svc')
  const zsh = await readFile(zshFile, 'utf8')
  await writeFile(zshFile, zsh.replaceAll(markPattern, toZshCall))
  await writeFile(path.join(folder, 'bash', 'svc.bash'), bash)
}

// PowerShell has no test for the owner, and each system has its own way to ask. On Windows, what an elevated prompt writes
// belongs to the administrators.
const ownedOnUnix = '(Get-Item -LiteralPath $svcFile).User -eq [Environment]::UserName'
const ownedOnWindows =
  "@([Security.Principal.WindowsIdentity]::GetCurrent().User.Value, 'S-1-5-32-544') -contains (Get-Acl -LiteralPath $svcFile).GetOwner([Security.Principal.SecurityIdentifier]).Value"

const sourceOwnFileInPowerShell = (file: string) =>
  [
    `$svcFile = '${file.replaceAll("'", "''")}'`,
    `if ((Test-Path -LiteralPath $svcFile -PathType Leaf) -and $(if ($IsLinux -or $IsMacOS) { ${ownedOnUnix} } else { ${ownedOnWindows} })) { . $svcFile }`,
  ].join('; ')

const dotSource = /^\. (.*\.ps1)$/

// A shell runs the files, so it does so only if they are the user's own.
export function sourceOwnFile(script: string): string {
  const powerShellFile = dotSource.exec(script)?.[1]
  if (powerShellFile !== undefined) return sourceOwnFileInPowerShell(powerShellFile)
  return script.replaceAll('test -f ', 'test -O ')
}

async function checkOwnerInSetup(config: Interfaces.Config): Promise<void> {
  const file = path.join(config.cacheDir, 'autocomplete', 'bash_setup')
  await writeFile(file, sourceOwnFile(await readFile(file, 'utf8')))
}

// `write` is the plugin's own command that writes the files. They are written into a new folder of the owner alone, so that
// none of them is a link, or a file that somebody else can change. One process writes at a time: another would remove the
// folder under it.
export async function writeCompletion(config: Interfaces.Config, write: () => Promise<void>): Promise<void> {
  const bash = renderBashCompletion(listCommands(config).filter(({hidden}) => !hidden))
  addOptionValues(config)
  await withLock(config.cacheDir, 'autocomplete', async () => {
    renewPrivateFolder(path.join(config.cacheDir, 'autocomplete'))
    await write()
    await addValuesToFiles(config, bash)
    await checkOwnerInSetup(config)
  })
}
