// Completion for bash: passes the typed line to svc, and offers what it answers. Bash replaces only the part of a word behind
// the last = or colon, so that part is passed too. Bash 3.2, which macOS has, has no compopt and no nosort.
export const bashScript = `# Bash completion for svc. \`svc autocomplete bash --print\` prints it.

_svc_complete()
{
  local word="\${COMP_WORDS[COMP_CWORD]}" kind='' line
  COMPREPLY=()
  if [[ "$word" == [=:] ]]; then word=''; fi

  while IFS= read -r line; do
    if [[ -z "$kind" ]]; then kind="\${line%%$'\\t'*}"; else COMPREPLY+=("$line"); fi
  done < <("$1" autocomplete complete --shell=bash --word="$word" --line="\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)

  # File names may contain spaces, so they are read line by line.
  if [[ "$kind" == files ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
  return 0
}

complete -o nosort -F _svc_complete svc 2>/dev/null || complete -F _svc_complete svc
`
