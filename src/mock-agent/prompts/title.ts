// `title TEXT`: gives the session a title.
import type { Prompt } from './prompt.ts'

export const title: Prompt = {
  name: 'title',
  async run(turn) {
    await turn.tell({ sessionUpdate: 'session_info_update', title: turn.asked.rest })
    await turn.say(`title=${turn.asked.rest}`)
    return 'end_turn'
  },
}
