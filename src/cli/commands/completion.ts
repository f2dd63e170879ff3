// rethread completion SHELL, and the hidden command its script asks.
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
    const { completionScripts } = await import('../completion-scripts.ts')
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
    const { complete } = await import('../complete.ts')
    const { commands } = await import('./index.ts')
    for (const candidate of await complete(invocation, commands)) await invocation.output.write(`${candidate}\n`)
    return EXIT.fine
  },
}
