// Completion for zsh: as a file _svc in fpath, or sourced from ~/.zshrc.
export const zshScript = `#compdef svc
# Zsh completion for svc. \`svc autocomplete zsh --print\` prints it.

_svc()
{
  local program="\${(Q)words[1]/#\\~\\//$HOME/}" kind prefix line value text
  local -a lines described
  lines=("\${(@f)$("$program" autocomplete complete --shell=zsh --current="\${(Q)PREFIX}" -- "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
  kind="\${lines[1]%%$'\\t'*}"
  prefix="\${lines[1]#*$'\\t'}"
  if [[ -n "$prefix" ]]; then compset -P "\${(b)prefix}"; fi
  if [[ "$kind" == files ]]; then
    _files
    return
  fi

  for line in "\${(@)lines[2,-1]}"; do
    value="\${line%%$'\\t'*}"
    text="\${line#*$'\\t'}"
    described+=("\${value//:/\\\\:}\${text:+:$text}")
  done
  # In the order that svc gives: the newest ids come first.
  _describe -V 'svc' described
}

if [[ "\${funcstack[1]}" == _svc ]]; then
  _svc "$@"
else
  if (( ! \${+functions[compdef]} )); then autoload -Uz compinit && compinit -i; fi
  compdef _svc svc
fi
`
