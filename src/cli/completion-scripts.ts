// The scripts that connect a shell's completion with `rethread __complete`.

export const completionScripts: Record<string, string> = {
  bash: `_rethread() {
  local IFS=$'\\n'
  COMPREPLY=($(rethread __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _rethread rethread
`,
  zsh: `_rethread() {
  local -a candidates
  candidates=("\${(@f)$(rethread __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _rethread rethread
`,
  fish: `complete -c rethread -f -a '(set -l words (commandline -opc) (commandline -ct); rethread __complete -- $words[2..-1] 2>/dev/null)'
`,
}
