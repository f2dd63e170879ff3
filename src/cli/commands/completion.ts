// rethread completion SHELL, and the hidden command that its scripts call.
import { RethreadError } from '../../model/errors.ts'
import type { CommandDefinition } from '../command.ts'
import { EXIT } from '../exit-status.ts'

export const completionCommand: CommandDefinition = {
  name: 'completion',
  arguments: '<shell>',
  summary: 'Print a completion script for bash, zsh or fish',
  options: [],
  help: `Add one of these to your shell's start-up file:
  bash   eval "$(rethread completion bash)"
  zsh    eval "$(rethread completion zsh)"
  fish   rethread completion fish | source`,
  async run(invocation) {
    const shell = invocation.args[0] ?? ''
    const script = completionScripts[shell]
    if (script === undefined)
      throw new RethreadError({
        code: 'usage',
        text: `There is no completion for "${shell}".`,
        hint: `Use one of: ${Object.keys(completionScripts).join(', ')}`,
      })
    await invocation.output.write(script)
    return EXIT.fine
  },
}

export const completeCommand: CommandDefinition = {
  name: '__complete',
  arguments: '[words...]',
  summary: 'Print completions of the last word',
  isHidden: true,
  options: [],
  async run(invocation) {
    const { complete } = await import('../arguments/complete.ts')
    const { commands } = await import('./index.ts')
    for (const candidate of await complete(invocation, commands)) await invocation.output.write(`${candidate}\n`)
    return EXIT.fine
  },
}

/** They connect the shell's completion with `rethread __complete`. */
const completionScripts: Record<string, string> = {
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
