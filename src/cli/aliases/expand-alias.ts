// Expands an alias into the words that it stands for. Arguments take the places of $1 to $9; the others follow at the end.
// Nothing is passed to a shell, and an argument never becomes more than one word.
import {badUsage} from '../../errors.ts'
import {hasFlag} from '../argv.ts'
import {readAliases} from './stored-aliases.ts'
import {splitWords} from './split-words.ts'

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
