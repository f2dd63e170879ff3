// The makers of all agents that have some, in the order of the agents.
import type { Agent } from '../agent.ts'
import type { SampleMaker } from './sample.ts'

export async function makersOf(agents: readonly Agent[]): Promise<SampleMaker[]> {
  return (await Promise.all(agents.map(async agent => (await agent.samples?.()) ?? []))).flat()
}
