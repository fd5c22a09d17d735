// The aliases in the settings: a name, and the command line that it stands for.
import {badUsage} from '../../errors.ts'
import {readSettings, updateSettings} from '../../profiles/profiles.ts'
import {splitWords} from './split-words.ts'

export interface Alias {
  name: string
  expansion: string
}

// The words that svc has of its own.
export interface CommandWords {
  // The ids of all commands, such as customers:list.
  ids: readonly string[]
  topics: readonly string[]
}

const namePattern = /^[a-z][a-z\d_-]{0,31}$/i
const expansionLengthMax = 2000

export const readAliases = (): Readonly<Record<string, string>> => readSettings().aliases ?? {}

export const listAliases = (): Alias[] =>
  Object.entries(readAliases())
    .map(([name, expansion]) => ({name, expansion}))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

const isOwnWord = (word: string, {ids, topics}: CommandWords) =>
  word === 'help' || topics.includes(word) || ids.some((id) => id.split(':')[0] === word)

export function validateAliasName(name: string, commands: CommandWords): string {
  if (!namePattern.test(name)) {
    throw badUsage(`"${name}" cannot name an alias`, 'Use letters, digits, dashes and underscores, 32 at most')
  }
  if (!isOwnWord(name, commands)) return name
  throw badUsage(`"${name}" is a command of svc, and an alias never replaces one`, 'Choose another name')
}

// Returns the command line without `svc` in front, in which people often write it.
export function validateExpansion(text: string, commands: CommandWords): string {
  const expansion = text.trim().replace(/^svc\s+/, '')
  if (expansion.startsWith('!')) {
    throw badUsage('An alias cannot run a shell', 'Write a shell function or a script that calls svc instead')
  }
  if (expansion.length > expansionLengthMax || /\p{Cc}/u.test(expansion)) {
    throw badUsage('The command of an alias must be one line of text', `Use ${expansionLengthMax} characters at most`)
  }
  if (/\$0/.test(expansion)) throw badUsage('$0 stands for nothing', 'Arguments are $1 to $9; $$ is a dollar sign')
  const words = splitWords(expansion)
  const first = words.find((word) => !word.startsWith('-')) ?? ''
  if (isOwnWord(first, commands) && first !== 'alias') return expansion
  throw badUsage(
    first === '' ? 'The alias stands for no command' : `The alias stands for "${first}", which is no command of svc`,
    'Write the command without `svc`, such as "customers list --status $1"; an alias cannot stand for another alias',
  )
}

export async function storeAlias({name, expansion}: Alias): Promise<void> {
  await updateSettings((settings) => {
    settings.aliases = {...settings.aliases, [name]: expansion}
  })
}

export async function deleteAlias(name: string): Promise<Alias> {
  const aliases = readAliases()
  const expansion = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  if (expansion === undefined) throw badUsage(`There is no alias "${name}"`, '`svc alias list` shows all')
  await updateSettings((settings) => {
    delete settings.aliases?.[name]
  })
  return {name, expansion}
}
