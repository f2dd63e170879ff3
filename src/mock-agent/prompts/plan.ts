// A plan of three steps that are done one after the other.
import type { PlanEntry } from '@agentclientprotocol/sdk/unstable'
import type { Prompt } from './prompt.ts'

const STEPS = ['Read the code', 'Change it', 'Run the tests']
const STEP_MS = 5

export const plan: Prompt = {
  name: 'plan',
  async run(turn) {
    for (let done = 0; done < STEPS.length; done++) {
      await turn.send({ sessionUpdate: 'plan', entries: entriesAfter(done) })
      await turn.pause(STEP_MS)
    }
    await turn.tell({ sessionUpdate: 'plan', entries: entriesAfter(STEPS.length) })
    await turn.say('All three steps are done.')
    return 'end_turn'
  },
}

function entriesAfter(done: number): PlanEntry[] {
  return STEPS.map((content, index) => ({ content, priority: 'medium', status: statusOf(index, done) }))
}

function statusOf(index: number, done: number): PlanEntry['status'] {
  if (index < done) return 'completed'
  return index === done ? 'in_progress' : 'pending'
}
