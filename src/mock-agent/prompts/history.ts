// Says how much of the session it has in its own memory, this prompt included, and how many replays were ever put in front of one.
import type { Prompt } from './prompt.ts'

export const history: Prompt = {
  name: 'history',
  async run(turn) {
    await turn.say(`history=${turn.session.messageCount} replays=${turn.session.replayCount}`)
    return 'end_turn'
  },
}
