// rethread agents
import type { ConfiguredAgent } from '../../journal/connection/acp-agents.ts'
import type { CommandDefinition } from '../command.ts'
import { exitOfFailures } from '../exit-status.ts'

export const agentsCommand: CommandDefinition = {
  name: 'agents',
  summary: 'List the agents found, their session folders, and those that can be used over ACP',
  options: [],
  help: 'If an agent that you use is not found, check the variables that move its folder.',
  async run(invocation) {
    const { findAgents } = await import('../../catalog/agents.ts')
    const { collectAcpAgents } = await import('../../journal/agent-files/collect-acp-agents.ts')
    const context = await invocation.context()
    const found = await findAgents(context)
    const acp = (await collectAcpAgents(context)).list()
    if (invocation.isJson) {
      const { cleanJson } = await import('../print/clean.ts')
      await invocation.output.write(`${cleanJson({ ...found, acp: acp.map(publicAgent) }, 2)}\n`)
    } else {
      const { printAgents } = await import('../print/agents.ts')
      await printAgents(invocation.output, context, { ...found, acp })
    }
    return exitOfFailures(found.failures)
  },
}

/** Without the environment variables, which may contain keys. */
function publicAgent({ env: _, isInstalled: installed, ...agent }: ConfiguredAgent) {
  return { ...agent, installed }
}
