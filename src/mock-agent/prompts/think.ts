// Thinks aloud, then answers.
import type { Prompt } from './prompt.ts'

export const think: Prompt = {
  name: 'think',
  async run(turn) {
    for (const piece of ['Let me see. ', 'There are two ways, ', 'and the second is shorter.']) {
      await turn.think(piece)
      await turn.pause(1)
    }
    await turn.say('I take the second way.')
    return 'end_turn'
  },
}
