// What a shell can complete, from the descriptions of the commands: the words of commands, their flags, and values that are known
// beforehand.
import type {Command} from '@oclif/core'
import type {HelpSource} from '../help/help-source.ts'

export interface Word {
  name: string
  description: string
}

// Fixed values, or the files of the folder.
export type Values = readonly string[] | 'files'

export interface FlagWord extends Word {
  char?: string | undefined
  takesValue: boolean
  values?: Values | undefined
}

// What can follow the words that name a topic or a command, such as `customers list`.
export interface Place {
  path: string
  words: Word[]
  flags: FlagWord[]
  argument?: Values | undefined
}

export interface Completion {
  places: Place[]
  globalFlags: FlagWord[]
  // The flags whose next word is a value, wherever they are.
  flagsWithValue: string[]
}

type CachedCommand = Command.Cached & {columns?: readonly string[]}
type CachedFlag = Command.Flag.Cached

function findFlagValues(flag: CachedFlag, columns: readonly string[] | undefined): Values | undefined {
  if (flag.type !== 'option') return undefined
  if (flag.options) return flag.options
  if ('helpValue' in flag && flag.helpValue === 'FILE') return 'files'
  return flag.name === 'columns' ? columns : undefined
}

const toFlagWord = (flag: CachedFlag, columns?: readonly string[]): FlagWord => ({
  name: flag.name,
  char: flag.char,
  description: flag.summary ?? '',
  takesValue: flag.type === 'option',
  values: findFlagValues(flag, columns),
})

function findArgumentValues({args}: Command.Cached): Values | undefined {
  const [first] = Object.values(args)
  return first?.options ?? (first?.name === 'file' ? 'files' : undefined)
}

const listFlags = ({flags}: Command.Cached) => Object.values(flags).filter(({hidden}) => !hidden)

const isGlobal = ({helpGroup}: CachedFlag) => helpGroup === 'GLOBAL'

// --columns is a global flag, whose values are those of the command.
const belongsToCommand = (flag: CachedFlag) => !isGlobal(flag) || flag.name === 'columns'

function createPlaces({commands, topics, readCommand}: HelpSource): Place[] {
  const places = new Map<string, Place>([['', {path: '', words: [], flags: []}]])
  const open = (path: string): Place => {
    const place = places.get(path) ?? {path, words: [], flags: []}
    places.set(path, place)
    return place
  }
  for (const {id, summary, isHidden} of commands) {
    if (isHidden) continue
    const parts = id.split(':')
    for (const [index, name] of parts.entries()) {
      const {words} = open(parts.slice(0, index).join(' '))
      const topic = parts.slice(0, index + 1).join(':')
      if (words.every((word) => word.name !== name))
        words.push({name, description: topics[topic]?.description ?? (topic === id ? summary : '')})
    }
    const command: CachedCommand = readCommand(id)
    const place = open(parts.join(' '))
    place.flags = listFlags(command)
      .filter(belongsToCommand)
      .map((flag) => toFlagWord(flag, command.columns))
    place.argument = findArgumentValues(command)
  }
  return [...places.values()]
}

export function describeCompletion(source: HelpSource): Completion {
  const visible = source.commands.filter(({isHidden}) => !isHidden)
  const flags = visible.flatMap(({id}) => listFlags(source.readCommand(id)))
  const globals = new Map(flags.filter((flag) => !belongsToCommand(flag)).map((flag) => [flag.name, toFlagWord(flag)]))
  const withValue = flags
    .filter(({type}) => type === 'option')
    .flatMap(({name, char}) => [`--${name}`, ...(char ? [`-${char}`] : [])])
  return {
    places: createPlaces(source),
    globalFlags: [...globals.values()],
    flagsWithValue: [...new Set(withValue)].toSorted(),
  }
}
