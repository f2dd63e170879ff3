// The agents and their stores, found ones first.
import type { FoundAgent } from '../library/agents.ts'
import type { Context } from '../library/context.ts'
import type { Failure } from '../model/errors.ts'
import { cleanLine } from './clean.ts'
import type { Output } from './output.ts'
import { printFailures } from './print-list.ts'
import { plural, shortenHome } from './words.ts'

export async function printAgents(
  output: Output,
  context: Context,
  { agents, failures }: { agents: FoundAgent[]; failures: Failure[] },
): Promise<void> {
  for (const agent of agents.toSorted((a, b) => Number(b.found) - Number(a.found)))
    await printAgent(output, context, agent)
  printFailures(output, context, failures)
}

async function printAgent(output: Output, context: Context, agent: FoundAgent): Promise<void> {
  const mark = agent.found ? output.style('good', '●') : output.style('dim', '○')
  const subagents = agent.subagents > 0 ? ` and ${plural(agent.subagents, 'sub-agent')}` : ''
  const count = agent.found ? plural(agent.sessions, 'session') + subagents : 'not found'
  await output.write(`${mark} ${output.style('bold', agent.title)}  ${output.style('dim', count)}\n`)
  // Of an agent that is here, the places it does not use are no news.
  for (const store of agent.stores.filter(candidate => candidate.found === agent.found)) {
    const path = cleanLine(shortenHome(store.path, context.environment.home))
    const detail = store.found ? `${store.kind}, ${plural(store.sessions, 'session')}` : store.kind
    await output.write(`    ${path}  ${output.style('dim', detail)}\n`)
  }
}
