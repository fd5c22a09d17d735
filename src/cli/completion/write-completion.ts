// Adds the values of flags to the completion files that oclif's plugin writes.
import {readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import type {Command, Interfaces} from '@oclif/core'
import {renderBashCompletion} from './bash.ts'
import {findFlagValues} from './value-sources.ts'

const listCommands = (config: Interfaces.Config): Command.Cached[] =>
  config.getPluginsList().flatMap(({commands}) => commands as Command.Cached[])

// A placeholder in the plugin's zsh file, which is replaced by a call of svc that lists the profiles.
const profilesMark = '@profiles'
const profilesInZsh = String.raw`:profile:{compadd -- \$(svc autocomplete values profiles 2>/dev/null)}`

// Runs before the plugin writes: in zsh it completes the options of a flag.
function addOptionValues(config: Interfaces.Config): void {
  for (const {id, flags} of listCommands(config)) {
    for (const flag of Object.values(flags)) {
      const values = findFlagValues(id, flag)
      if (flag.type !== 'option' || !values || values === 'files') continue
      flag.options = values === 'profiles' ? [profilesMark] : [...values]
    }
  }
}

// Runs after it: zsh lists profiles when needed, and bash gets its own completion.
async function addValuesToFiles(config: Interfaces.Config, bash: string): Promise<void> {
  const folder = path.join(config.cacheDir, 'autocomplete', 'functions')
  const zshFile = path.join(folder, 'zsh', '_svc')
  const zsh = await readFile(zshFile, 'utf8')
  await writeFile(zshFile, zsh.replaceAll(`:profile options:(${profilesMark})`, profilesInZsh))
  await writeFile(path.join(folder, 'bash', 'svc.bash'), bash)
}

// `write` is the plugin's own command that writes the files.
export async function writeCompletion(config: Interfaces.Config, write: () => Promise<void>): Promise<void> {
  const bash = renderBashCompletion(listCommands(config).filter(({hidden}) => !hidden))
  addOptionValues(config)
  await write()
  await addValuesToFiles(config, bash)
}
