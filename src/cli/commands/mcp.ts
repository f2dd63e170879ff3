// rethread mcp
import { resolve } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import type { McpHost } from '../../agents/mcp-host.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn, textOption } from '../command.ts'
import type { ExitStatus } from '../exit-status.ts'
import { EXIT } from '../exit-status.ts'

export const mcpCommand: CommandDefinition = {
  name: 'mcp',
  summary: 'Let agents search and read earlier conversations (Model Context Protocol, over stdio)',
  options: [
    { flags: '--all-projects', description: 'Serve conversations of all projects, not only of the current folder' },
    {
      flags: '--install <agent>',
      description: 'Print the setting for this agent (a wrong name lists those that are known)',
    },
    { flags: '--write', description: 'With --install: add the setting, with a receipt for "rethread undo"' },
  ],
  help: `An agent starts this command itself and gets three tools: search_conversations, read_conversation and
list_conversations. They only read, and see the conversations of the folder in which the agent runs and
below it. What they return is marked as quoted history, because old text may contain instructions.

Examples:
  rethread mcp --install NAME
  rethread mcp --install NAME --write
  rethread mcp --install NAME --all-projects --write`,
  async run(invocation) {
    const agent = textOption(invocation, 'install')
    if (agent !== undefined) return await install(invocation, agent)
    if (isOn(invocation, 'write'))
      throw new RethreadError({
        code: 'usage',
        text: '--write needs --install.',
        hint: 'For example: rethread mcp --install NAME --write',
      })
    const { serveMcp } = await import('../../mcp/server.ts')
    const { version } = await import('../version.ts')
    const project = isOn(invocation, 'allProjects') ? undefined : process.cwd()
    await serveMcp({ context: () => invocation.context(), project }, version())
    return EXIT.fine
  },
}

async function install(invocation: Invocation, name: string): Promise<ExitStatus> {
  const { planSetting, writeSetting } = await import('../../mcp/settings.ts')
  const { cleanJson, cleanLine } = await import('../print/clean.ts')
  const context = await invocation.context()
  const { agent, host } = hostNamed(context.agents, name)
  const setting = planSetting(agent, host, context.environment, commandOf(invocation))
  const { file, snippet, change } = setting
  const { output, isJson } = invocation
  const receipt = isOn(invocation, 'write') ? await writeSetting(context.state, setting) : undefined
  if (isJson) {
    const facts = { agent: agent.id, file, isPresent: change === undefined, receipt: receipt?.id ?? null }
    await output.write(`${cleanJson({ ...facts, setting: snippet }, 2)}\n`)
  } else if (change === undefined) await output.write(`${cleanLine(file)} has this setting already.\n`)
  else if (receipt !== undefined)
    await output.write(
      `${output.style('good', '✓')} Added to ${cleanLine(file)}. ${agent.title} reads it when it starts.\n  Undo: ${paste('rethread undo', receipt.id)}\n`,
    )
  else {
    output.remark(`Add this to ${cleanLine(file)}, or let rethread do it with --write:\n`)
    await output.write(snippet)
  }
  return EXIT.fine
}

/** By the id of the agent, or the short name that it has as an ACP agent. */
function hostNamed(agents: readonly Agent[], name: string): { agent: Agent; host: McpHost } {
  const known = agents.flatMap(agent => (agent.mcp === undefined ? [] : [{ agent, host: agent.mcp }]))
  const found = known.find(({ agent }) => agent.id === name || agent.acp?.().name === name)
  if (found !== undefined) return found
  throw new RethreadError({
    code: 'usage',
    text: `Unknown agent "${name}".`,
    hint: `Use one of: ${known.map(({ agent }) => agent.acp?.().name ?? agent.id).join(', ')}`,
  })
}

/** This very program, so that the setting works whatever is on the PATH of the agent. */
function commandOf(invocation: Invocation): string[] {
  const places = ['home', 'state', 'journal'].flatMap(option => {
    const value = textOption(invocation, option)
    return value === undefined ? [] : [`--${option}`, resolve(value)]
  })
  const [, program = ''] = process.argv
  return [process.execPath, program, ...places, 'mcp', ...(isOn(invocation, 'allProjects') ? ['--all-projects'] : [])]
}
