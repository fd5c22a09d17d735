// Teaches the shells the values of flags: the plugin writes its files, and what it cannot do is put into them here.
import {readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import type {Command, Interfaces} from '@oclif/core'
import {renderBashCompletion} from './bash.ts'
import {findFlagValues} from './value-sources.ts'

const listCommands = (config: Interfaces.Config): Command.Cached[] =>
  config.getPluginsList().flatMap(({commands}) => commands as Command.Cached[])

// Stands in the plugin's zsh file where names of profiles belong, until it is replaced by a call that asks for them.
const profilesMark = '@profiles'
const profilesInZsh = String.raw`:profile:{compadd -- \$(svc autocomplete values profiles 2>/dev/null)}`

// Before the plugin writes: it offers in zsh whatever a flag lists as its options.
function addOptionValues(config: Interfaces.Config): void {
  for (const {id, flags} of listCommands(config)) {
    for (const flag of Object.values(flags)) {
      const offer = findFlagValues(id, flag)
      if (flag.type !== 'option' || !offer || offer === 'files') continue
      flag.options = offer === 'profiles' ? [profilesMark] : [...offer]
    }
  }
}

// After it: zsh asks for profiles when it needs them, and bash gets a completion that knows values.
async function addValuesToFiles(config: Interfaces.Config, bash: string): Promise<void> {
  const folder = path.join(config.cacheDir, 'autocomplete', 'functions')
  const zshFile = path.join(folder, 'zsh', '_svc')
  const zsh = await readFile(zshFile, 'utf8')
  await writeFile(zshFile, zsh.replaceAll(`:profile options:(${profilesMark})`, profilesInZsh))
  await writeFile(path.join(folder, 'bash', 'svc.bash'), bash)
}

// Around the plugin's own work, whichever of its commands does it.
export async function writeCompletion(config: Interfaces.Config, write: () => Promise<void>): Promise<void> {
  const bash = renderBashCompletion(listCommands(config).filter(({hidden}) => !hidden))
  addOptionValues(config)
  await write()
  await addValuesToFiles(config, bash)
}
