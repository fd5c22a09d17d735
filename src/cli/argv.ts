// Reads the command line before oclif parses it.
import {isVariableOn, listFlags} from './flags/environment.ts'

const hasFlag = (argv: readonly string[], ...names: string[]) => listFlags(argv).some((word) => names.includes(word))

export const isHelpWanted = (argv: readonly string[]) => argv[0] === 'help' || hasFlag(argv, '--help', '-h')

const jsonFormats = new Set(['json', 'jsonl'])

function findTypedFormat(argv: readonly string[]): string | undefined {
  const flagAt = argv.findIndex((word) => /^(-o|--output(=|$))/.test(word))
  const word = argv[flagAt]
  return word === '-o' || word === '--output' ? argv[flagAt + 1] : word?.replace(/^(-o=?|--output=)/, '')
}

// Whether errors are printed as JSON. It does not use the parser, because parsing the flags may be what failed.
export function wantsJson(argv: readonly string[]): boolean {
  if (hasFlag(argv, '--json')) return true
  const typed = findTypedFormat(listFlags(argv))
  if (typed !== undefined) return jsonFormats.has(typed)
  const {SVC_OUTPUT = '', SVC_JSON} = process.env
  return jsonFormats.has(SVC_OUTPUT) || isVariableOn(SVC_JSON)
}

// Global flags that take their value from the next word, for when they come before the command.
const flagsWithValue = new Set('-p --profile -o --output --columns --jq --timeout --request-timeout'.split(' '))

// The words that are neither flags nor values of the flags that may come before the command.
export const listNames = (argv: readonly string[]): string[] =>
  argv.filter((word, index) => !word.startsWith('-') && !flagsWithValue.has(argv[index - 1] ?? ''))

const profileAlone = /^(-p ?|--profile[ =])\S+$/

// Whether nothing but a profile follows the first words.
export const isProfileAlone = (flags: readonly string[]) => flags.length === 0 || profileAlone.test(flags.join(' '))

// Turns `svc -p sandbox customers list` into `svc customers list -p sandbox`.
export function moveCommandFirst(argv: string[]): string[] {
  let count = 0
  while (argv[count]?.startsWith('-') && argv[count] !== '--') count += flagsWithValue.has(argv[count] ?? '') ? 2 : 1
  return count === 0 || count >= argv.length ? argv : [...argv.slice(count), ...argv.slice(0, count)]
}
