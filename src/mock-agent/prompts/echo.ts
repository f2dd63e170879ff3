// Says what was said to it.
import type { Prompt } from './prompt.ts'

export const echo: Prompt = {
  name: 'echo',
  async run(turn) {
    await turn.pause()
    const { text } = turn.asked
    await turn.say(text.trim() === '' ? 'OK' : text)
    return 'end_turn'
  },
}
