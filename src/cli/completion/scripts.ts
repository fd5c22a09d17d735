// The completion scripts of the shells. They contain all that they offer, and never ask svc.
import {quoteForShell} from '../../values/text.ts'
import type {HelpSource} from '../help/help-source.ts'
import {type Completion, type FlagWord, type Place, type Values, type Word, describeCompletion} from './places.ts'

export const shellNames = ['bash', 'zsh', 'fish'] as const
export type ShellName = (typeof shellNames)[number]

const listNames = ({name, char}: FlagWord) => [`--${name}`, ...(char ? [`-${char}`] : [])]

interface KnownValues {
  // Such as `customers list --columns`, or ` --output` for any command.
  keys: string[]
  values: Values
}

const listKnownValues = ({places, globalFlags}: Completion): KnownValues[] => [
  ...globalFlags.flatMap((flag) => (flag.values ? [{keys: listNames(flag), values: flag.values}] : [])),
  ...places.flatMap(({path, flags}) =>
    flags.flatMap((flag) =>
      flag.values ? [{keys: listNames(flag).map((name) => `${path} ${name}`), values: flag.values}] : [],
    ),
  ),
]

// Bash and zsh find what follows in the same way; only the lists of zsh have descriptions.
interface Lists {
  renderWords: (words: readonly Word[]) => string
  renderFlags: (flags: readonly FlagWord[]) => string
  renderValues: (values: readonly string[]) => string
}

const renderPlaces = (places: readonly Place[], lists: Lists) =>
  places
    .map(({path, words, flags, argument}) => {
      const parts = [
        ...(words.length > 0 ? [`next=${lists.renderWords(words)}`] : []),
        ...(flags.length > 0 ? [`flags=${lists.renderFlags(flags)}`] : []),
        ...(argument === 'files' ? ['files=1'] : argument ? [`args=${lists.renderValues(argument)}`] : []),
      ]
      return `    (${quoteForShell(path)}) ${parts.join(' ') || ':'} ;;`
    })
    .join('\n')

const renderKnownValues = (completion: Completion, lists: Lists) =>
  listKnownValues(completion)
    .map(({keys, values}) => {
      const patterns = keys.map((key) => (key.startsWith('-') ? `*' ${key}'` : quoteForShell(key))).join('|')
      return `    (${patterns}) ${values === 'files' ? 'files=1' : `values=${lists.renderValues(values)}`} ;;`
    })
    .join('\n')

const joinNames = (names: readonly string[]) => quoteForShell(names.join(' '))

const bashLists: Lists = {
  renderWords: (words) => joinNames(words.map(({name}) => name)),
  renderFlags: (flags) => joinNames(flags.map(({name}) => `--${name}`)),
  renderValues: joinNames,
}

// Bash makes = a word of its own. Bash 3.2, which macOS has, has no compopt.
const renderBash = (completion: Completion) => `# Bash completion for svc, printed by \`svc autocomplete bash\`.

_svc_place() {
  next='' flags='' args='' files=''
  case "$1" in
${renderPlaces(completion.places, bashLists)}
  esac
}

_svc_values() {
  values='' files='' isValue=''
  case "$2" in
    (${completion.flagsWithValue.join('|')}) isValue=1 ;;
  esac
  case "$1 $2" in
${renderKnownValues(completion, bashLists)}
  esac
}

_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}"
  local place='' next flags args files values isValue word i line offered
  COMPREPLY=()
  if [[ "$flag" == '=' ]]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ "$cur" == '=' ]]; then cur=''; fi
  _svc_place ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      (${completion.flagsWithValue.join('|')}) ((i++)); if [[ "\${COMP_WORDS[i]}" == '=' ]]; then ((i++)); fi ;;
      (-*) ;;
      (*) if [[ " $next " == *" $word "* ]]; then place="\${place:+$place }$word"; _svc_place "$place"; fi ;;
    esac
  done
  offered="$next $args"
  if [[ "$cur" == -* ]]; then offered="$flags ${completion.globalFlags.map(({name}) => `--${name}`).join(' ')}"; fi
  local filesOfPlace="$files"
  _svc_values "$place" "$flag"
  if [[ -n "$isValue" ]]; then offered="$values"; elif [[ "$cur" != -* ]]; then files="$filesOfPlace"; fi
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$offered" -- "$cur")
  # File names may contain spaces, so they are read line by line.
  if [[ -n "$files" ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    compopt -o filenames 2>/dev/null
  fi
  return 0
}

complete -F _svc svc
`

const describe = (name: string, description: string) => quoteForShell(`${name}:${description}`)

const zshLists: Lists = {
  renderWords: (words) => `(${words.map(({name, description}) => describe(name, description)).join(' ')})`,
  renderFlags: (flags) => `(${flags.map(({name, description}) => describe(`--${name}`, description)).join(' ')})`,
  renderValues: (values) => `(${values.map(quoteForShell).join(' ')})`,
}

const renderZsh = (completion: Completion) => `#compdef svc
# Zsh completion for svc, printed by \`svc autocomplete zsh\`.

_svc_place() {
  next=() flags=() args=() files=''
  case "$1" in
${renderPlaces(completion.places, zshLists)}
  esac
}

_svc_values() {
  values=() files='' isValue=''
  case "$2" in
    (${completion.flagsWithValue.join('|')}) isValue=1 ;;
  esac
  case "$1 $2" in
${renderKnownValues(completion, zshLists)}
  esac
}

_svc() {
  local place='' files='' isValue='' flag="\${words[CURRENT-1]}" word i
  local -a next flags args values
  local -a globals=${zshLists.renderFlags(completion.globalFlags)}
  if [[ "$PREFIX" == --*=* ]]; then
    flag="\${PREFIX%%=*}"
    compset -P '*='
  fi
  _svc_place ''
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$word" in
      (${completion.flagsWithValue.join('|')}) ((i++)) ;;
      (-*) ;;
      (*) if (( \${next[(I)\${(b)word}:*]} )); then place="\${place:+$place }$word"; _svc_place "$place"; fi ;;
    esac
  done
  local filesOfPlace="$files"
  _svc_values "$place" "$flag"
  if [[ -n "$isValue" ]]; then
    if [[ -n "$files" ]]; then _files; else compadd -- "\${values[@]}"; fi
  elif [[ "$PREFIX" == -* ]]; then
    flags+=("\${globals[@]}")
    _describe -o 'flag' flags
  else
    if (( \${#next} )); then _describe 'command' next; fi
    if (( \${#args} )); then compadd -- "\${args[@]}"; fi
    if [[ -n "$filesOfPlace" ]]; then _files; fi
  fi
}

if [[ "\${funcstack[1]}" == _svc ]]; then
  _svc "$@"
else
  if (( ! \${+functions[compdef]} )); then autoload -Uz compinit && compinit -i; fi
  compdef _svc svc
fi
`

const quoteForFish = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`

function renderFishFlag({name, char, description, takesValue, values}: FlagWord): string {
  const value = values === 'files' ? ' -r -F' : takesValue ? ' -x' : ''
  const list = Array.isArray(values) ? ` -a ${quoteForFish(values.join(' '))}` : ''
  return `${char ? ` -s ${char}` : ''} -l ${name}${value}${list} -d ${quoteForFish(description)}`
}

function renderFishPlace({path, words, flags, argument}: Place): string[] {
  const start = `complete -c svc -n ${quoteForFish(`__svc_at ${path}`.trimEnd())}`
  return [
    ...words.map(({name, description}) => `${start} -a ${name} -d ${quoteForFish(description)}`),
    ...flags.map((flag) => `${start}${renderFishFlag(flag)}`),
    ...(argument === 'files' ? [`${start} -F`] : argument ? [`${start} -a ${quoteForFish(argument.join(' '))}`] : []),
  ]
}

const renderFish = ({
  places,
  globalFlags,
  flagsWithValue,
}: Completion) => `# Fish completion for svc, printed by \`svc autocomplete fish\`.

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
complete -c svc -f
${globalFlags.map((flag) => `complete -c svc${renderFishFlag(flag)}`).join('\n')}
${places.flatMap(renderFishPlace).join('\n')}
`

const renderers: Readonly<Record<ShellName, (completion: Completion) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
}

export const renderScript = (shell: ShellName, source: HelpSource): string =>
  renderers[shell](describeCompletion(source))
