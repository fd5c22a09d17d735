// The completion scripts of the shells, from the descriptions of the commands. They contain all that they offer, and never ask svc.
import {quoteForShell} from '../values/text.ts'
import type {CommandDescription, HelpSource} from './help/help-source.ts'

export const shellNames = ['bash', 'zsh', 'fish'] as const
export type ShellName = (typeof shellNames)[number]

interface Word {
  name: string
  description: string
  // The value of a flag: one of these, a file, or any text.
  value?: readonly string[] | 'file' | 'text'
}

// What can follow the words that name a topic or a command, such as `customers list`.
interface Place {
  path: string
  words: Word[]
}

interface Completion {
  places: Place[]
  // The flags whose next word is a value, wherever they are.
  flagsWithValue: string[]
}

type CachedFlag = CommandDescription['flags'][string]

function toFlagWord(flag: CachedFlag, columns: readonly string[] | undefined): Word {
  const word = {name: `--${flag.name}`, description: flag.summary ?? ''}
  if (flag.type !== 'option') return word
  const text = flag.helpValue === 'FILE' ? 'file' : 'text'
  return {...word, value: flag.options ?? (flag.name === 'columns' ? columns : undefined) ?? text}
}

function describeCompletion({readCommands, topics}: HelpSource): Completion {
  const places = new Map<string, Place>()
  const flagsWithValue = new Set<string>()
  const open = (path: string): Place => {
    const place = places.get(path) ?? {path, words: []}
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
    open(parts.join(' ')).words.push(
      ...(Object.values(args)[0]?.options ?? []).map((name) => ({name, description: ''})),
      ...shown.map((flag) => toFlagWord(flag, columns)),
    )
    for (const {name, char} of shown.filter(({type}) => type === 'option')) {
      flagsWithValue.add(`--${name}`)
      if (char) flagsWithValue.add(`-${char}`)
    }
  }
  return {places: [...places.values()], flagsWithValue: [...flagsWithValue].toSorted()}
}

const joinNames = (names: readonly string[]) => quoteForShell(names.join(' '))

const renderPlaces = (places: readonly Place[]) =>
  places
    .flatMap(({path, words}) => [
      `    ${quoteForShell(path)}) offered=${joinNames(words.map(({name}) => name))} ;;`,
      ...words.flatMap(({name, value}) =>
        Array.isArray(value) ? [`    ${quoteForShell(`${path} ${name}`)}) offered=${joinNames(value)} ;;`] : [],
      ),
    ])
    .join('\n')

// Bash makes = a word of its own. A file is completed where nothing else is known. Zsh counts the words of an array from one, so that
// they are never taken by their index.
const renderBash = ({
  places,
  flagsWithValue,
}: Completion) => `# Completion for svc, printed by \`svc autocomplete bash\` and \`svc autocomplete zsh\`.

_svc_offer() {
  offered=''
  case "$1" in
${renderPlaces(places)}
  esac
}

_svc() {
  local cur="\${COMP_WORDS[@]:COMP_CWORD:1}" place='' flag='' offered word
  _svc_offer ''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ "$word" == '=' ]]; then continue; fi
    if [[ -n "$flag" ]]; then flag=''; continue; fi
    case "$word" in
      ${flagsWithValue.join('|')}) flag="$word" ;;
      -*) ;;
      *) if [[ " $offered " == *" $word "* ]]; then place="\${place:+$place }$word"; _svc_offer "$place"; fi ;;
    esac
  done
  if [[ "$cur" == '=' ]]; then cur=''; fi
  if [[ -n "$flag" ]]; then _svc_offer "$place $flag"; fi
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$offered" -- "$cur")
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

function renderFishWord({name, description, value}: Word): string {
  const about = `-d ${quoteForFish(description)}`
  if (!name.startsWith('--')) return `-f -a ${name} ${about}`
  const takes = value === undefined ? '' : value === 'file' ? ' -r' : ' -x'
  return `-l ${name.slice(2)}${takes}${Array.isArray(value) ? ` -a ${quoteForFish(value.join(' '))}` : ''} ${about}`
}

const renderFishPlace = ({path, words}: Place): string[] =>
  words.map((word) => `complete -c svc -n ${quoteForFish(`__svc_at ${path}`.trimEnd())} ${renderFishWord(word)}`)

const renderFish = ({
  places,
  flagsWithValue,
}: Completion) => `# Completion for svc, printed by \`svc autocomplete fish\`.

set -g __svc_places ${places.flatMap(({path}) => (path === '' ? [] : [quoteForFish(path)])).join(' ')}

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

export const renderScript = (shell: ShellName, source: HelpSource): string =>
  renderers[shell](describeCompletion(source))
