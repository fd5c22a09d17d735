// Bash completion of commands, flags and values. oclif's own completes no values, and no flags after the first.
import type {Command} from '@oclif/core'
import {helpTopics} from '../help/help-topics.ts'
import {type ValueSource, findArgumentValues, findFlagValues, isDynamicSource} from './value-sources.ts'

const toCommandName = (id: string) => id.replaceAll(':', ' ')

const listVisibleFlags = (command: Command.Cached) => Object.values(command.flags).filter(({hidden}) => !hidden)

// One line per command: its words, then its flags.
function renderCommandLines(commands: readonly Command.Cached[]): string[] {
  const lines = commands.map((command) =>
    [toCommandName(command.id), ...listVisibleFlags(command).map(({name}) => `--${name}`), '--help'].join(' '),
  )
  return [...lines, ...Object.keys(helpTopics).map((topic) => `help ${topic} --help`)]
}

const listSpellings = ({name, char}: Command.Flag.Cached) => (char ? [`--${name}`, `-${char}`] : [`--${name}`])

// The bash code that sets the values. Profile names and ids change, so svc is called for them, with what -p has.
function toBashSource(source: ValueSource): string {
  if (isDynamicSource(source)) {
    return `values=$("$1" autocomplete values ${source} \${profile:+-p "$profile"} 2>/dev/null)`
  }
  if (source === 'files') return 'values=@files'
  return `values='${source.filter((value) => plainWord.test(value)).join(' ')}'`
}

// Other characters would have a meaning in the shell.
const plainWord = /^[\w.:-]+$/

// Flags and arguments with the same values share a branch. A flag with the same values in every command is listed once.
function renderBranches(commands: readonly Command.Cached[]): string[] {
  const sources = new Map<string, Map<string, string>>()
  const add = (what: string, command: Command.Cached, source: ValueSource | undefined) => {
    const byCommand = sources.get(what) ?? new Map<string, string>()
    sources.set(what, byCommand.set(toCommandName(command.id), source ? toBashSource(source) : ''))
  }
  for (const command of commands) {
    for (const flag of listVisibleFlags(command)) {
      if (flag.type === 'option')
        for (const name of listSpellings(flag)) add(name, command, findFlagValues(command.id, flag))
    }
    add('argument', command, findArgumentValues(command))
  }
  const patterns = new Map<string, string[]>()
  for (const [what, byCommand] of sources) {
    const isSame = new Set(byCommand.values()).size === 1
    for (const [command, source] of isSame ? [['*', [...byCommand.values()][0] ?? ''] as const] : byCommand) {
      const pattern = command === '*' ? `*' ${what}'` : `'${command} ${what}'`
      if (source !== '') patterns.set(source, [...(patterns.get(source) ?? []), pattern])
    }
  }
  return [...patterns].map(([source, names]) => `    ${names.join('|')}) ${source} ;;`)
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
# Bash completion for svc. \`svc autocomplete\` overwrites this file, so do not edit it.

_svc_commands='
${renderCommandLines(commands).join('\n')}
'

_svc_taking_values=' ${listFlagsWithValue(commands).join(' ')} '

# Sets values to the completions of a flag or argument. Parameters: program, command, flag (or "argument").
_svc_values()
{
  case "$2 $3" in
${renderBranches(commands).join('\n')}
  esac
}

_svc_complete()
{
  local current="\${COMP_WORDS[COMP_CWORD]}" command='' flag='' profile='' arguments=0 values='' index word line names next
  local IFS=$' \\t\\n'
  COMPREPLY=()

  # Finds the command in the words before the cursor, and whether the last word is a flag that needs a value.
  # Bash splits --flag=value into three words.
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ "$word" == '=' ]]; then continue
    elif [[ -n "$flag" ]]; then
      [[ "$flag" == -p || "$flag" == --profile ]] && profile="$word"
      flag=''
    elif [[ "$word" == -* ]]; then
      [[ "$_svc_taking_values" == *" $word "* ]] && flag="$word"
    elif [[ "$arguments" == 0 && "$_svc_commands" == *$'\\n'"\${command:+$command }$word "* ]]; then
      command="\${command:+$command }$word"
    else arguments=$((arguments + 1))
    fi
  done
  if [[ "$current" == '=' ]]; then current=''; fi

  if [[ "$command" == sandbox* ]]; then profile=sandbox; fi

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

  # File names may contain spaces, so the output is read line by line.
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
    if [[ "$values" == '@files' ]]; then compgen -f -- "$current"; else compgen -W "$values" -- "$current"; fi
  )
  if [[ "$values" == '@files' ]]; then compopt -o filenames 2>/dev/null; fi
  return 0
}

complete -F _svc_complete svc
`
