// The agents that rethread can start over ACP: those the agents declare, those in the configuration file, and
// the mock agent.

import type { Context } from '../../catalog/context.ts'
import { mockAgentCommand } from '../../mock-agent/command.ts'
import { type AcpAgents, type DefaultAgent, makeAgents } from '../connection/acp-agents.ts'

/** Throws where the configuration file is invalid. */
export async function collectAcpAgents(context: Context, variables = process.env): Promise<AcpAgents> {
  const { agents: configured, default_agent: defaultAgent } = await context.config()
  return makeAgents({ configured, defaultAgent, defaults: defaultsOf(context), mock: mockAgentCommand(), variables })
}

function defaultsOf({ agents }: Context): DefaultAgent[] {
  return agents.flatMap(agent => {
    const start = agent.acp?.()
    return start === undefined ? [] : [{ ...start, title: agent.title, store: agent.id }]
  })
}
