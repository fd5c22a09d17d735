// Completion for bash, of commands, flags and values. The plugin's own knows no values, and no flags after the first.
import type {Command} from '@oclif/core'
import {helpTopics} from '../help/help-topics.ts'
import {type ValueSource, findArgumentValues, findFlagValues} from './value-sources.ts'

const toCommandName = (id: string) => id.replaceAll(':', ' ')

const listVisibleFlags = (command: Command.Cached) => Object.values(command.flags).filter(({hidden}) => !hidden)

// A line for each command: its words, then its flags.
function renderCommandLines(commands: readonly Command.Cached[]): string[] {
  const lines = commands.map((command) =>
    [toCommandName(command.id), ...listVisibleFlags(command).map(({name}) => `--${name}`), '--help'].join(' '),
  )
  return [...lines, ...Object.keys(helpTopics).map((topic) => `help ${topic} --help`)]
}

const listSpellings = ({name, char}: Command.Flag.Cached) => (char ? [`--${name}`, `-${char}`] : [`--${name}`])

// How bash gets the values of an offer. Names of profiles change, so svc is asked for them.
function toBashSource(offer: ValueSource): string {
  if (offer === 'profiles') return `values=$("$1" autocomplete values profiles 2>/dev/null)`
  if (offer === 'files') return 'values=@files'
  return `values='${offer.filter((value) => plainWord.test(value)).join(' ')}'`
}

// Anything else would mean something to the shell.
const plainWord = /^[\w.:-]+$/

// Places that offer the same share a branch; a flag that offers the same everywhere is named once.
function renderBranches(commands: readonly Command.Cached[]): string[] {
  const sources = new Map<string, Map<string, string>>()
  const add = (what: string, command: Command.Cached, offer: ValueSource | undefined) => {
    const places = sources.get(what) ?? new Map<string, string>()
    sources.set(what, places.set(toCommandName(command.id), offer ? toBashSource(offer) : ''))
  }
  for (const command of commands) {
    for (const flag of listVisibleFlags(command)) {
      if (flag.type === 'option')
        for (const name of listSpellings(flag)) add(name, command, findFlagValues(command.id, flag))
    }
    add('argument', command, findArgumentValues(command))
  }
  const patterns = new Map<string, string[]>()
  for (const [what, places] of sources) {
    const isSame = new Set(places.values()).size === 1
    for (const [place, source] of isSame ? [['*', [...places.values()][0] ?? ''] as const] : places) {
      const pattern = place === '*' ? `*' ${what}'` : `'${place} ${what}'`
      if (source !== '') patterns.set(source, [...(patterns.get(source) ?? []), pattern])
    }
  }
  return [...patterns].map(([source, some]) => `    ${some.join('|')}) ${source} ;;`)
}

const listFlagsWithValue = (commands: readonly Command.Cached[]) => [
  ...new Set(
    commands.flatMap((command) =>
      listVisibleFlags(command).flatMap((f) => (f.type === 'option' ? listSpellings(f) : [])),
    ),
  ),
]

const listGlobalFlags = (commands: readonly Command.Cached[]) => [
  ...new Set(
    commands.flatMap((command) =>
      listVisibleFlags(command).flatMap((f) => (f.helpGroup === 'GLOBAL' ? [`--${f.name}`] : [])),
    ),
  ),
]

export const renderBashCompletion = (commands: readonly Command.Cached[]): string => `#!/usr/bin/env bash
# Completion of svc for bash. \`svc autocomplete\` writes this file anew, so changes made here are lost.

_svc_commands='
${renderCommandLines(commands).join('\n')}
'

_svc_taking_values=' ${listFlagsWithValue(commands).join(' ')} '

# Sets values to what can stand after a flag, or as the argument, of a command: program, command, flag.
_svc_values()
{
  case "$2 $3" in
${renderBranches(commands).join('\n')}
  esac
}

_svc_complete()
{
  local current="\${COMP_WORDS[COMP_CWORD]}" command='' flag='' arguments=0 values='' index word line names next
  local IFS=$' \\t\\n'
  COMPREPLY=()

  # The words before the cursor: which command they name, and whether the last is a flag that waits for its value.
  # Bash takes --flag=value for three words.
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ "$word" == '=' ]]; then continue
    elif [[ -n "$flag" ]]; then flag=''
    elif [[ "$word" == -* ]]; then
      [[ "$_svc_taking_values" == *" $word "* ]] && flag="$word"
    elif [[ "$arguments" == 0 && "$_svc_commands" == *$'\\n'"\${command:+$command }$word "* ]]; then
      command="\${command:+$command }$word"
    else arguments=$((arguments + 1))
    fi
  done
  if [[ "$current" == '=' ]]; then current=''; fi

  if [[ -n "$flag" ]]; then
    _svc_values "$1" "$command" "$flag"
  else
    [[ -z "$command" && "$current" == -* ]] && values='${listGlobalFlags(commands).join(' ')} --help --version'
    while read -r line; do
      names="\${line%% -*}"
      if [[ "$current" == -* ]]; then
        [[ -n "$command" && "$names" == "$command" ]] && values="\${line#"$names "}"
      elif [[ "$arguments" == 0 && -n "$names" && ( -z "$command" || "$names" == "$command "* ) ]]; then
        next="\${names#"\${command:+$command }"}"
        next="\${next%% *}"
        [[ " $values " == *" $next "* ]] || values="$values $next"
      fi
    done <<< "$_svc_commands"
    if [[ -z "$values" && "$arguments" == 0 ]]; then _svc_values "$1" "$command" argument; fi
  fi

  # A name of a file may hold blanks, so what comes is taken line by line.
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
    if [[ "$values" == '@files' ]]; then compgen -f -- "$current"; else compgen -W "$values" -- "$current"; fi
  )
  if [[ "$values" == '@files' ]]; then compopt -o filenames 2>/dev/null; fi
  return 0
}

complete -F _svc_complete svc
`
