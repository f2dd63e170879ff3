// How a turn ends: its parts are closed, its tools ended, its message complete.

import type { ConversationError, ConversationUsage } from './changes.ts'
import { closeGrowing, closeReported, ensureAnswer } from './open-messages.ts'
import { expireQuestions } from './questions.ts'
import type { Step, Turn } from './state.ts'
import { interruptTools } from './tools.ts'

export interface TurnEnd {
  stopReason?: string
  error?: ConversationError
  usage?: ConversationUsage
  isIncomplete?: boolean
}

/**
 * A turn in which nothing was said has no message of the agent, unless there is something to say of how it ended: an error, that it was cut off,
 * or a reason to stop that is not the ordinary one.
 */
export function finishTurn(step: Step, turn: Turn, end: TurnEnd): void {
  closeReported(step)
  closeGrowing(step, turn)
  interruptTools(step, turn)
  const isUnusual = end.stopReason !== undefined && end.stopReason !== 'end_turn'
  if (end.error !== undefined || end.isIncomplete === true || isUnusual) ensureAnswer(step, turn)
  const { answer } = turn
  if (answer !== undefined) {
    const { usage, ...rest } = end
    Object.assign(answer, rest, { completedAt: step.at, lastSeq: step.seq })
    if (usage !== undefined) answer.usage = { ...answer.usage, ...usage }
    step.emit({ type: 'message', message: { ...answer } })
    step.state.lastAnswer = answer
  }
  if (end.error !== undefined) step.emit({ type: 'error', error: end.error, messageId: answer?.id })
}

/** Takes it from those that run. */
export function endTurn(step: Step, turn: Turn, end: TurnEnd): void {
  const { state } = step
  finishTurn(step, turn, end)
  state.turns = state.turns.filter(other => other !== turn)
  if (state.turns.length === 0) step.emit({ type: 'status', status: 'idle' })
}

/** What was said when nobody asked ends where something else begins. */
export function closeUnprompted(step: Step, end: TurnEnd = {}): void {
  const { unprompted } = step.state
  closeReported(step)
  if (unprompted === undefined) return
  step.state.unprompted = undefined
  finishTurn(step, unprompted, end)
}

/** Whoever should have ended it is gone: what is open stays as far as it came. */
export function settleEverything(step: Step): void {
  const { state } = step
  closeUnprompted(step, { isIncomplete: true })
  for (const turn of [...state.turns]) endTurn(step, turn, { isIncomplete: true })
  expireQuestions(step, () => true)
  state.requests.clear()
}

/** Nothing comes any more on a connection once the session goes on with another. */
export function endTurnsOfOtherConnections(step: Step): void {
  const { state, connectionId } = step
  for (const turn of [...state.turns])
    if (turn.request?.connectionId !== connectionId) endTurn(step, turn, { isIncomplete: true })
  expireQuestions(step, asked => asked !== connectionId)
}
