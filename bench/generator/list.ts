// The makers of all agents, in the order of the list of agents.
import { agents } from '../../src/agents/index.ts'
import { makersOf, type SampleMaker } from '../../src/agents/samples/sample.ts'

export const makers: readonly SampleMaker[] = await makersOf(agents)
