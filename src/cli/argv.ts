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

// The words before the first flag.
export function listWords(argv: readonly string[]): readonly string[] {
  const flagAt = argv.findIndex((argument) => argument.startsWith('-'))
  return flagAt === -1 ? argv : argv.slice(0, flagAt)
}

// Turns `svc -p sandbox customers list` and `svc customers -p sandbox list` into
// `svc customers list -p sandbox`. Between the words of a command, only a word that goes on with it
// is no value of a flag.
export function moveCommandFirst(
  argv: string[],
  canFollow: (topic: readonly string[], word: string) => boolean,
): string[] {
  const words = listWords(argv)
  let end = words.length
  while (argv[end]?.startsWith('-') && argv[end] !== '--') end += flagsWithValue.has(argv[end] ?? '') ? 2 : 1
  const next = argv[end]
  if (end === words.length || next === undefined) return argv
  if (words.length > 0 && !canFollow(words, next)) return argv
  const moved = [...words, ...argv.slice(end), ...argv.slice(words.length, end)]
  return next.startsWith('-') ? moved : moveCommandFirst(moved, canFollow)
}
