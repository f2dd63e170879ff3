// `mode` goes to the next mode, `mode ID` to that one.
import type { Prompt } from './prompt.ts'

export const mode: Prompt = {
  name: 'mode',
  async run(turn) {
    const { availableModes, currentModeId } = turn.session.modes
    const ids = availableModes.map(({ id }) => id)
    const next = ids[(ids.indexOf(currentModeId) + 1) % ids.length] ?? currentModeId
    const chosen = ids.find(id => id === turn.asked.rest) ?? next
    await turn.tell({ sessionUpdate: 'current_mode_update', currentModeId: chosen })
    await turn.say(`mode=${chosen}`)
    return 'end_turn'
  },
}
