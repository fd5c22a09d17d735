// The completion scripts of the shells, from the descriptions of the commands. They contain all
// that they offer, but for the names of profiles, which svc is asked for.
import {quoteForShell} from '../values/text.ts'
import type {CommandDescription, HelpSource} from './help/help-source.ts'

export const shellNames = ['bash', 'zsh', 'fish'] as const
export type ShellName = (typeof shellNames)[number]

interface Word {
  name: string
  // Of a flag, such as -o.
  short?: string | undefined
  description: string
  // The value of a flag: one of these, a file, the name of a profile, or any text.
  value?: readonly string[] | 'file' | 'profile' | 'text'
}

// What can follow the words that name a topic or a command, such as `customers list`.
interface Place {
  path: string
  words: Word[]
  // Whether the name of a profile can stand here.
  hasProfiles: boolean
}

interface Completion {
  places: Place[]
  // The flags whose next word is a value, wherever they are.
  flagsWithValue: string[]
  // Patterns of those whose value begins in the same word, such as -ojson.
  shortFlagsWithValue: string[]
}

type CachedFlag = CommandDescription['flags'][string] & {values?: readonly string[]}

function toFlagWord(flag: CachedFlag, columns: readonly string[] | undefined): Word {
  const short = flag.char && `-${flag.char}`
  const word = {name: `--${flag.name}`, short, description: flag.summary ?? ''}
  if (flag.type !== 'option') return word
  const text = flag.helpValue === 'FILE' ? 'file' : flag.name === 'profile' ? 'profile' : 'text'
  return {...word, value: flag.options ?? flag.values ?? (flag.name === 'columns' ? columns : undefined) ?? text}
}

// The pages of docs/ by the last part of their names, as `svc docs` finds them.
function describeCompletion({readCommands, topics}: HelpSource, pages: readonly string[]): Completion {
  const places = new Map<string, Place>()
  const flagsWithValue = new Set<string>()
  const open = (path: string): Place => {
    const place = places.get(path) ?? {path, words: [], hasProfiles: false}
    places.set(path, place)
    return place
  }
  for (const {id, summary = '', flags, args, columns} of Object.values(readCommands())) {
    const parts = id.split(':')
    for (const [index, name] of parts.entries()) {
      const {words} = open(parts.slice(0, index).join(' '))
      const topic = parts.slice(0, index + 1).join(':')
      if (words.every((word) => word.name !== name))
        words.push({name, description: topics[topic]?.description ?? (topic === id ? summary : '')})
    }
    const shown = Object.values(flags).filter(({hidden}) => !hidden)
    const [argument] = Object.values(args)
    const values = id === 'docs' ? pages : (argument?.options ?? [])
    const place = open(parts.join(' '))
    place.hasProfiles = parts[0] === 'profiles' && argument !== undefined
    const flagWords = shown.map((flag) => toFlagWord(flag, columns))
    place.words.push(...values.map((name) => ({name, description: ''})), ...flagWords)
    // Flags may come before the command, and `svc` alone is `svc status`.
    if (id === 'status') open('').words.push(...flagWords)
    for (const {name, char} of shown.filter(({type}) => type === 'option')) {
      flagsWithValue.add(`--${name}`)
      if (char) flagsWithValue.add(`-${char}`)
    }
  }
  const sorted = [...flagsWithValue].toSorted()
  const short = sorted.filter((name) => !name.startsWith('--'))
  return {places: [...places.values()], flagsWithValue: sorted, shortFlagsWithValue: short.map((name) => `${name}?*`)}
}

const joinNames = (names: readonly string[]) => quoteForShell(names.join(' '))

function renderValue(path: string, {name, short, value}: Word): string[] {
  const offered = value === 'profile' ? '"$(_svc_profiles)"' : typeof value === 'object' ? joinNames(value) : undefined
  if (offered === undefined) return []
  const names = [name, short].filter((each) => each !== undefined)
  return [`    ${names.map((each) => quoteForShell(`${path} ${each}`)).join('|')}) offered=${offered} ;;`]
}

function renderPlace({path, words, hasProfiles}: Place): string[] {
  const names = words.map(({name}) => name)
  const profiles = hasProfiles ? '" $(_svc_profiles)"' : ''
  return [
    `    ${quoteForShell(path)}) offered=${joinNames(names)}${profiles} ;;`,
    ...words.flatMap((word) => renderValue(path, word)),
  ]
}

const renderPlaces = (places: readonly Place[]) => places.flatMap(renderPlace).join('\n')

const listProfiles = "svc profiles list --output json --jq '.profiles[].name' 2>/dev/null"

// Bash makes = a word of its own, zsh does not. A file is completed where nothing else is known, so
// flags are offered only where one begins.
// Zsh counts the words of an array from one, so that they are never taken by their index, and reads
// a name after a colon as a modifier unless it begins with $.
const renderBash = ({
  places,
  flagsWithValue,
  shortFlagsWithValue,
}: Completion) => `# Completion for svc, printed by \`svc autocomplete bash\` and \`svc autocomplete zsh\`.

_svc_profiles() { ${listProfiles}; }

_svc_offer() {
  case "$1" in
${renderPlaces(places)}
    *) return 1 ;;
  esac
}

_svc() {
  local cur="\${COMP_WORDS[@]:$COMP_CWORD:1}" place='' flag='' offered='' before='' word
  _svc_offer ''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    if [[ "$word" == '=' ]]; then continue; fi
    if [[ -n "$flag" ]]; then flag=''; continue; fi
    case "$word" in
      ${flagsWithValue.join('|')}) flag="$word" ;;
      -*) ;;
      *) if _svc_offer "\${place:+$place }$word"; then place="\${place:+$place }$word"; fi ;;
    esac
  done
  if [[ "$cur" == '=' ]]; then cur=''; fi
  case "$cur" in
    ${shortFlagsWithValue.join('|')}) before="\${cur:0:2}" flag="\${cur:0:2}" cur="\${cur:2}" ;;
    --*=*) before="\${cur%%=*}=" flag="\${cur%%=*}" cur="\${cur#*=}" ;;
  esac
  if [[ -n "$flag" ]]; then _svc_offer "$place $flag" || offered=''; fi
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ "$word" != -* || "$cur" == -* ]]; then COMPREPLY+=("$before$word"); fi
  done < <(compgen -W "$offered" -- "$cur")
}

complete -o default -F _svc svc
`

const renderZsh = (completion: Completion) => `#compdef svc
if (( ! \${+functions[compdef]} )); then autoload -Uz compinit && compinit -i; fi
autoload -U +X bashcompinit && bashcompinit

${renderBash(completion)}
if [[ "\${funcstack[1]}" == _svc ]]; then _bash_complete -o default -F _svc; fi
`

const quoteForFish = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`

function renderFishWord({name, short = '', description, value}: Word): string {
  const about = `-d ${quoteForFish(description)}`
  if (!name.startsWith('--')) return `-f -a ${name} ${about}`
  const flag = `${short && `-s ${short.slice(1)} `}-l ${name.slice(2)}`
  const takes = value === undefined ? '' : value === 'file' ? ' -r' : ' -x'
  const values = value === 'profile' ? '(__svc_profiles)' : typeof value === 'object' ? value.join(' ') : ''
  return `${flag}${takes}${values && ` -a ${quoteForFish(values)}`} ${about}`
}

function renderFishPlace({path, words, hasProfiles}: Place): string[] {
  const start = `complete -c svc -n ${quoteForFish(`__svc_at ${path}`.trimEnd())}`
  const profiles = hasProfiles ? [`${start} -f -a '(__svc_profiles)'`] : []
  return [...profiles, ...words.map((word) => `${start} ${renderFishWord(word)}`)]
}

const renderFish = ({
  places,
  flagsWithValue,
}: Completion) => `# Completion for svc, printed by \`svc autocomplete fish\`.

set -g __svc_places ${places.flatMap(({path}) => (path === '' ? [] : [quoteForFish(path)])).join(' ')}

function __svc_profiles
    ${listProfiles}
end

# Whether the words before the cursor name this command.
function __svc_at
    set -l place ''
    set -l isValue ''
    for word in (commandline -opc)[2..-1]
        if test -n "$isValue"
            set isValue ''
            continue
        end
        switch $word
            case ${flagsWithValue.join(' ')}
                set isValue 1
            case '-*'
            case '*'
                set -l longer (string trim -- "$place $word")
                if contains -- "$longer" $__svc_places
                    set place $longer
                end
        end
    end
    test "$place" = "$argv"
end

complete -c svc -e
${places.flatMap(renderFishPlace).join('\n')}
`

const renderers: Readonly<Record<ShellName, (completion: Completion) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
}

export const renderScript = (shell: ShellName, source: HelpSource, pages: readonly string[]): string =>
  renderers[shell](describeCompletion(source, pages))
