// Prints the agents and their stores, found ones first, then the agents that can be used over ACP.

import type { FoundAgent } from '../../catalog/agents.ts'
import type { Context } from '../../catalog/context.ts'
import type { ConfiguredAgent } from '../../journal/connection/acp-agents.ts'
import type { Failure } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import { cleanLine } from './clean.ts'
import { printFailures } from './list.ts'
import type { Output } from './output.ts'
import { plural, shortenHome } from './words.ts'

export async function printAgents(
  output: Output,
  context: Context,
  { agents, failures, acp }: { agents: FoundAgent[]; failures: Failure[]; acp: ConfiguredAgent[] },
): Promise<void> {
  for (const agent of agents.toSorted((a, b) => Number(b.found) - Number(a.found)))
    await printAgent(output, context, agent)
  await printAcp(output, acp)
  printFailures(output, context, failures)
}

async function printAgent(output: Output, context: Context, agent: FoundAgent): Promise<void> {
  const mark = agent.found ? output.style('good', '●') : output.style('dim', '○')
  const subagents = agent.subagents > 0 ? ` and ${plural(agent.subagents, 'subagent')}` : ''
  const count = agent.found ? plural(agent.sessions, 'session') + subagents : 'not found'
  await output.write(`${mark} ${output.style('bold', agent.title)}  ${output.style('dim', count)}\n`)
  // Of an agent that is found, only the stores that exist are shown.
  for (const store of agent.stores.filter(candidate => candidate.found === agent.found)) {
    const path = cleanLine(shortenHome(store.path, context.environment.home))
    const detail = store.found ? `${store.kind}, ${plural(store.sessions, 'session')}` : store.kind
    await output.write(`    ${path}  ${output.style('dim', detail)}\n`)
  }
}

async function printAcp(output: Output, acp: readonly ConfiguredAgent[]): Promise<void> {
  await output.write('\nTo talk to over ACP\n')
  const width = Math.max(...acp.map(({ name }) => name.length))
  for (const agent of acp.toSorted((a, b) => Number(b.isInstalled) - Number(a.isInstalled))) {
    const mark = agent.isInstalled ? output.style('good', '●') : output.style('dim', '○')
    const name = output.style('bold', agent.name.padEnd(width))
    await output.write(
      `${mark} ${name}  ${cleanLine(agent.title)}  ${output.style('dim', cleanLine(stateOf(agent)))}\n`,
    )
  }
}

function stateOf({ isInstalled, source, command, install }: ConfiguredAgent): string {
  if (source === 'built-in') return 'built in, for trying things out'
  if (isInstalled) return source === 'config' ? 'installed, configured' : 'installed'
  return install === undefined ? `the program ${command} was not found` : paste('npm install --global', install)
}
