// Aliases in the settings: a name, and the command line that it stands for.
import {badUsage} from '../errors.ts'
import {readSettings, updateSettings} from '../profiles/profiles.ts'
import {hasFlag} from './argv.ts'
import type {View} from './output/view.ts'

export interface Alias {
  name: string
  expansion: string
}

// The names of commands and topics, which an alias must not take.
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

// Splits a command line into words as a shell does, without running anything: blanks separate, quotes and backslashes keep.
const piece = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsy

export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let end = 0
  for (const [found, single, double, escaped, plain, blank] of text.matchAll(piece)) {
    end += found.length
    if (blank === undefined) {
      const part = single ?? double?.replaceAll(/\\(["\\$])/g, '$1') ?? escaped ?? plain ?? ''
      word = (word ?? '') + part
    } else {
      if (word !== undefined) words.push(word)
      word = undefined
    }
  }
  if (end < text.length) throw badUsage('A quote of the command is never closed', 'Close it; nothing was changed')
  return word === undefined ? words : [...words, word]
}

// Expands an alias into the words that it stands for. Arguments take the places of $1 to $9; the others follow at the end.
// Nothing is passed to a shell, and an argument never becomes more than one word.
const placeholder = /\$([$\d])/g

// The highest number of the placeholders, which is how many arguments are needed.
const countPlaceholders = (expansion: string) =>
  Math.max(0, ...[...expansion.matchAll(placeholder)].map(([, mark]) => (mark === '$' ? 0 : Number(mark))))

const countArguments = (count: number) => `${count} argument${count === 1 ? '' : 's'}`

function rejectMissing(name: string, expansion: string, args: readonly string[], needed: number): void {
  const hint = `It stands for \`svc ${expansion}\`; nothing was sent`
  if (args.length < needed) {
    throw badUsage(`The alias ${name} needs ${countArguments(needed)}, and got ${args.length}`, hint)
  }
  // A flag in the place of a value is a forgotten argument, not an argument.
  const flag = args.slice(0, needed).find((word) => word.startsWith('-'))
  if (flag !== undefined) {
    throw badUsage(`The alias ${name} needs ${countArguments(needed)} before its flags`, hint)
  }
}

export function fillPlaceholders(name: string, expansion: string, args: readonly string[]): string[] {
  const needed = countPlaceholders(expansion)
  rejectMissing(name, expansion, args, needed)
  const fill = (word: string) =>
    word.replaceAll(placeholder, (_, mark: string) => (mark === '$' ? '$' : (args[Number(mark) - 1] ?? '')))
  return [...splitWords(expansion).map(fill), ...args.slice(needed)]
}

// Returns undefined if there is no such alias. What an alias stands for is not looked up as an alias again.
export function expandAlias([name = '', ...args]: readonly string[]): string[] | undefined {
  const aliases = readAliases()
  const expansion = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  if (expansion === undefined) return undefined
  // Help is that of the command, and needs no arguments.
  if (hasFlag(args, '--help', '-h')) return [...splitWords(expansion), ...args]
  return fillPlaceholders(name, expansion, args)
}

export const aliasView: View<Alias> = {
  singular: 'alias',
  plural: 'aliases',
  columns: [
    {name: 'name', header: 'NAME', value: ({name}) => name, rank: 0},
    {
      name: 'expansion',
      short: 'command',
      header: 'STANDS FOR',
      value: ({expansion}) => expansion,
      format: (expansion) => `svc ${String(expansion)}`,
      rank: 0,
      widthGood: 50,
      widthMin: 20,
      wraps: true,
    },
  ],
}
