// Completes a command line: commands, flags and values, from the descriptions of the commands. A description is read only of
// the command that is typed, and nothing is ever sent.
import type {Command} from '@oclif/core'
import {isOwnWord, moveCommandFirst} from '../argv.ts'
import {isGlobalFlag} from '../help/command-help.ts'
import type {HelpSource} from '../help/help-source.ts'
import {helpTopics} from '../help/help-topics.ts'
import type {PackageFiles} from './stored-values.ts'
import {
  type DynamicSource,
  type ValueSource,
  findArgumentValues,
  findFlagValues,
  isDynamicSource,
  takesList,
} from './value-sources.ts'

interface Candidate {
  value: string
  description?: string | undefined
}

// `prefix` is the part of the typed word in front of the values, such as --output=
type Completion = {kind: 'values'; prefix: string; candidates: Candidate[]} | {kind: 'files'; prefix: string}

interface CompletionSource {
  help: HelpSource
  readValues: (source: DynamicSource, profile: string | undefined) => Promise<readonly string[]>
  readAliases: () => Promise<Readonly<Record<string, string>>>
}

// A command with the names of the columns of its table, if it has one.
type CachedCommand = Command.Cached & {columns?: readonly string[]}

const nothing: Completion = {kind: 'values', prefix: '', candidates: []}

const toValues = (candidates: Candidate[], prefix = ''): Completion => ({kind: 'values', prefix, candidates})

// The words are those before the one that is being typed, without `svc`.
async function completeWords(words: readonly string[], current: string, source: CompletionSource): Promise<Completion> {
  const typed = await replaceAlias(moveCommandFirst([...words]), source)
  if (typed[0] === 'help') return completeHelp(typed.slice(1), current, source.help)
  const flagAt = typed.findIndex((word) => word.startsWith('-'))
  const leading = flagAt === -1 ? typed : typed.slice(0, flagAt)
  // No word of a command comes behind a flag, unless the flag was in front of all of them.
  const areFlagsBehind = flagAt !== -1 && !words[0]?.startsWith('-')
  const found = findCommand(leading, source.help)
  if (found) {
    const canGoOn = found.wordCount === leading.length && !areFlagsBehind
    return completeCommand({...found, rest: typed.slice(found.wordCount), canGoOn}, current, source)
  }
  if (leading.length === 0 && typed.length > 0) return completeRootFlag(typed, current, source)
  if (areFlagsBehind) return nothing
  return current.startsWith('-') && leading.length === 0
    ? toValues(listRootFlags(source.help))
    : toValues(await listWords(leading, source))
}

// An alias is completed like the command that it stands for.
async function replaceAlias(words: string[], {help, readAliases}: CompletionSource): Promise<string[]> {
  const [first] = words
  if (first === undefined || first.startsWith('-') || isOwnWord(help, first)) return words
  const aliases = await readAliases()
  const expansion = Object.hasOwn(aliases, first) ? aliases[first] : undefined
  return expansion === undefined ? words : moveCommandFirst([...expansion.split(/\s+/), ...words.slice(1)])
}

interface FoundCommand {
  command: CachedCommand
  wordCount: number
}

function findCommand(leading: readonly string[], {commands, readCommand}: HelpSource): FoundCommand | undefined {
  for (let count = leading.length; count > 0; count--) {
    const id = leading.slice(0, count).join(':')
    if (commands.some((command) => command.id === id)) return {command: readCommand(id), wordCount: count}
  }
  return undefined
}

// The next words of commands that begin with these, with what they are for.
function listNextWords(leading: readonly string[], {commands, topics}: HelpSource): Candidate[] {
  const start = leading.map((word) => `${word}:`).join('')
  const next = new Map<string, string | undefined>()
  for (const {id, summary, isHidden} of commands) {
    if (isHidden || !id.startsWith(start)) continue
    const [word = ''] = id.slice(start.length).split(':')
    if (!next.get(word))
      next.set(word, topics[start + word]?.description ?? (id === start + word ? summary : undefined))
  }
  return [...next].map(([value, description]) => ({value, description}))
}

// Aliases stand beside the first words of commands.
async function listWords(leading: readonly string[], {help, readAliases}: CompletionSource): Promise<Candidate[]> {
  const words = listNextWords(leading, help)
  if (leading.length > 0) return words
  const aliases = Object.entries(await readAliases()).map(([value, text]) => ({value, description: `svc ${text}`}))
  return [...words, {value: 'help', description: 'Show help'}, ...aliases]
}

function completeHelp(leading: readonly string[], current: string, help: HelpSource): Completion {
  if (current.startsWith('-')) return toValues([{value: '--all', description: 'Show everything'}])
  const topics = Object.entries(helpTopics).map(([value, {summary}]) => ({value, description: summary}))
  const flags = {value: 'flags', description: 'The flags that every command has'}
  return toValues([...listNextWords(leading, help), ...(leading.length === 0 ? [...topics, flags] : [])])
}

const helpCandidate = {value: '--help', description: 'Show help'}

const describe = ({summary, description}: Command.Flag.Cached) => summary ?? description

function toFlagCandidates(flag: Command.Flag.Cached): Candidate[] {
  const names = flag.type === 'boolean' && flag.allowNo ? [`--${flag.name}`, `--no-${flag.name}`] : [`--${flag.name}`]
  return names.map((value) => ({value, description: describe(flag)}))
}

const listVisibleFlags = ({flags}: Command.Cached) => Object.values(flags).filter(({hidden}) => !hidden)

// The flags that every command has, read from the first one with them.
function readGlobalFlags({commands, readCommand}: HelpSource): Command.Cached | undefined {
  for (const {id, isHidden} of commands) {
    if (isHidden) continue
    const command = readCommand(id)
    const flags = Object.entries(command.flags).filter(([, flag]) => isGlobalFlag(flag))
    if (flags.length > 0) return {...command, id: '', args: {}, flags: Object.fromEntries(flags)}
  }
  return undefined
}

function listRootFlags(help: HelpSource): Candidate[] {
  const command = readGlobalFlags(help)
  const flags = command ? listVisibleFlags(command).flatMap(toFlagCandidates) : []
  return [...flags, helpCandidate, {value: '--version', description: 'Show the version'}]
}

// Flags before the command.
async function completeRootFlag(words: string[], current: string, source: CompletionSource): Promise<Completion> {
  const command = readGlobalFlags(source.help)
  if (!command) return nothing
  const {pending} = readRest(command, words)
  if (pending) return completeValue(command, pending, current, '', source, undefined)
  return toValues(current.startsWith('-') ? listRootFlags(source.help) : await listWords([], source))
}

interface RestOfLine {
  // The flag whose value is being typed.
  pending?: Command.Flag.Cached | undefined
  argumentCount: number
  used: ReadonlySet<string>
  profile?: string | undefined
  // Whether all that follows is an argument.
  isAfterFlags: boolean
}

const findFlag = (command: Command.Cached, word: string) =>
  listVisibleFlags(command).find(({name, char}) => word === `--${name}` || (char !== undefined && word === `-${char}`))

function readRest(command: Command.Cached, words: readonly string[]): RestOfLine {
  let pending: Command.Flag.Cached | undefined
  let profile: string | undefined
  let argumentCount = 0
  let isAfterFlags = false
  const used = new Set<string>()
  for (const word of words) {
    if (pending) {
      if (pending.name === 'profile') profile = word
      pending = undefined
    } else if (word === '--') isAfterFlags = true
    else if (isAfterFlags || !word.startsWith('-')) argumentCount += 1
    else {
      const [name = '', value] = word.split(/=(.*)/s, 2)
      const flag = findFlag(command, name)
      if (flag) used.add(flag.name)
      if (flag?.name === 'profile') profile = value
      if (flag?.type === 'option' && value === undefined) pending = flag
    }
  }
  return {pending, profile, argumentCount, used, isAfterFlags}
}

interface TypedCommand extends FoundCommand {
  // What follows the command.
  rest: string[]
  // Whether the next word may be part of a longer command.
  canGoOn: boolean
}

async function completeCommand(
  {command, wordCount, rest, canGoOn}: TypedCommand,
  current: string,
  source: CompletionSource,
): Promise<Completion> {
  const line = readRest(command, rest)
  // The commands of the sandbox take no profile.
  const profile = command.id.startsWith('sandbox') ? 'sandbox' : line.profile
  if (line.pending) return completeValue(command, line.pending, current, '', source, profile)
  if (current.startsWith('-') && !line.isAfterFlags) {
    const [name = '', value] = current.split(/=(.*)/s, 2)
    const flag = value === undefined ? undefined : findFlag(command, name)
    if (flag) return completeValue(command, flag, value ?? '', `${name}=`, source, profile)
    return toValues(listFlags(command, line.used))
  }
  const words = canGoOn ? listNextWords(command.id.split(':').slice(0, wordCount), source.help) : []
  const values = await readCandidates(command, findArgumentValues(command, line.argumentCount), source, profile)
  if (values === 'files') return {kind: 'files', prefix: ''}
  return toValues([...words, ...values])
}

// A flag that was typed is offered again only if it can be given several times.
function listFlags(command: Command.Cached, used: ReadonlySet<string>): Candidate[] {
  const left = listVisibleFlags(command).filter((flag) => !used.has(flag.name) || ('multiple' in flag && flag.multiple))
  return [...left.flatMap(toFlagCandidates), helpCandidate]
}

async function readCandidates(
  command: CachedCommand,
  values: ValueSource | undefined,
  {readValues}: CompletionSource,
  profile: string | undefined,
): Promise<Candidate[] | 'files'> {
  if (values === undefined) return []
  if (values === 'files') return values
  if (values === 'columns') return (command.columns ?? []).map((value) => ({value}))
  const list = isDynamicSource(values) ? await readValues(values, profile) : values
  return list.map((value) => ({value}))
}

async function completeValue(
  command: CachedCommand,
  flag: Command.Flag.Cached,
  current: string,
  prefix: string,
  source: CompletionSource,
  profile: string | undefined,
): Promise<Completion> {
  const values = await readCandidates(command, findFlagValues(command.id, flag), source, profile)
  if (values === 'files') return {kind: 'files', prefix}
  if (flag.name === 'sort') return toValues(listSortings(values, current), prefix)
  return toValues(takesList(flag) ? listLonger(values, current) : values, prefix)
}

// The columns, and behind a colon the direction.
function listSortings(columns: readonly Candidate[], current: string): Candidate[] {
  const [, sign = '', name = ''] = /^(-?)(.*?)(?::.*)?$/s.exec(current) ?? []
  if (current.includes(':')) return ['asc', 'desc'].map((direction) => ({value: `${sign}${name}:${direction}`}))
  return columns.map(({value}) => ({value: `${sign}${value}`}))
}

// One more value behind the last comma. Values that are in the list already are not offered.
function listLonger(values: readonly Candidate[], current: string): Candidate[] {
  const given = current.split(',').slice(0, -1)
  const start = given.map((value) => `${value},`).join('')
  return values.filter(({value}) => !given.includes(value)).map(({value}) => ({value: `${start}${value}`}))
}

// What a shell passes. It gets one line per value.
interface Request {
  shell: string
  // The words before the one that is typed, without `svc`.
  words: string[]
  current: string
  // The part of the current word that the shell replaces. Bash starts words behind = and colons too.
  replaced: string
}

const piece = /'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)|([^\s'"\\]+)|(\s+)/gsy

// Splits a line into words as a shell does. The last quote may still be open, since the line is being typed.
export function splitLine(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [, single, double, escaped, plain, blank] of line.matchAll(piece)) {
    if (blank === undefined) word = (word ?? '') + (single ?? double ?? escaped ?? plain ?? '')
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return [...words, word ?? '']
}

// The whole line, with `svc` and variables in front of it.
function readLine(line: string): {words: string[]; current: string} {
  const all = splitLine(line)
  const programAt = all.findIndex((word) => !/^\w+=/.test(word))
  const typed = all.slice(programAt + 1)
  return {words: typed.slice(0, -1), current: typed.at(-1) ?? ''}
}

function readRequest(argv: readonly string[]): Request {
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  const read = (name: string) => options.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
  const shell = read('shell') ?? ''
  const line = read('line')
  if (line !== undefined) {
    const {words, current} = readLine(line)
    return {shell, words, current, replaced: (read('word') ?? current).replace(/^['"]/, '')}
  }
  const current = read('current') ?? ''
  return {shell, words: end === -1 ? [] : argv.slice(end + 1), current, replaced: current}
}

// Shells give other characters a meaning.
const plainWord = /^[\w.,:@%+/=-]+$/

// These shells choose from all values themselves: they also find those with other capitals, or with letters left out.
const filteringShells = new Set(['zsh', 'fish'])

const toLine = ({value, description = ''}: Candidate) => `${value}\t${description.replaceAll(/\s+/g, ' ')}`

function renderAnswer(completion: Completion, {shell, current, replaced}: Request): string[] {
  if (completion.kind === 'files') return [`files\t${completion.prefix}`]
  const {prefix, candidates} = completion
  const plain = candidates.filter(({value}) => plainWord.test(value))
  if (filteringShells.has(shell)) return [`values\t${prefix}`, ...plain.map(toLine)]
  const fitting = plain.filter(({value}) => `${prefix}${value}`.startsWith(current))
  if (shell !== 'bash') return [`values\t${prefix}`, ...fitting.map(toLine)]
  const kept = Math.max(0, current.length - replaced.length)
  return [`values\t${prefix}`, ...fitting.map(({value}) => `${prefix}${value}`.slice(kept))]
}

// `argv` is what follows `svc autocomplete complete`.
export async function answerShell(argv: readonly string[], source: CompletionSource): Promise<string> {
  const request = readRequest(argv)
  const completion = await completeWords(request.words, request.current, source)
  return `${renderAnswer(completion, request).join('\n')}\n`
}

// What completion reads: the descriptions of the commands, and values that change, which are loaded only if they are needed.

// Settings that cannot be read have no values: a shell has nowhere to show an error.
export const createCompletionSource = (help: HelpSource, files: PackageFiles): CompletionSource => ({
  help,
  readValues: async (source, profile) => {
    try {
      return (await import('./stored-values.ts')).readStoredValues(source, profile, files)
    } catch {
      return []
    }
  },
  readAliases: async () => {
    try {
      return (await import('../aliases.ts')).readAliases()
    } catch {
      return {}
    }
  },
})
