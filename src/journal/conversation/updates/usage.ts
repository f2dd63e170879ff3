// What it took so far: said of the answer that is open, else of the last one.
import { readUsageUpdate } from '../usage.ts'
import type { UpdateFamily } from './update.ts'

export const usage: UpdateFamily = {
  variants: ['usage_update'],
  apply(step, update) {
    const { state } = step
    const added = readUsageUpdate(update)
    if (added === undefined) return
    const turn = state.turns.at(-1) ?? state.loose
    if (turn !== undefined && turn.answer === undefined) {
      turn.usage = { ...turn.usage, ...added }
      return
    }
    const message = turn?.answer ?? state.lastAnswer
    if (message === undefined) return
    message.usage = { ...message.usage, ...added }
    step.emit({ type: 'message', message: { ...message } })
  },
}
