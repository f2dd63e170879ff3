// Ends a turn: closes its parts, ends its tools, completes its message.

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
 * A turn without content gets no answer message, except for an error, an interruption, or an unusual stop
 * reason.
 */
function finishTurn(step: Step, turn: Turn, end: TurnEnd): void {
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

/** Removes the turn from the open ones. */
export function endTurn(step: Step, turn: Turn, end: TurnEnd): void {
  const { state } = step
  finishTurn(step, turn, end)
  state.turns = state.turns.filter(other => other !== turn)
  if (state.turns.length === 0) step.emit({ type: 'status', status: 'idle' })
}

/** A turn without a prompt ends when something else starts. */
export function closeUnprompted(step: Step, end: TurnEnd = {}): void {
  const { unprompted } = step.state
  closeReported(step)
  if (unprompted === undefined) return
  step.state.unprompted = undefined
  finishTurn(step, unprompted, end)
}

/** The process that would have ended it is gone. Open messages stay as they are, marked as incomplete. */
export function settleEverything(step: Step): void {
  const { state } = step
  closeUnprompted(step, { isIncomplete: true })
  for (const turn of [...state.turns]) endTurn(step, turn, { isIncomplete: true })
  expireQuestions(step, () => true)
  state.requests.clear()
}

/** Nothing more arrives on a connection once the session continues on another one. */
export function endTurnsOfOtherConnections(step: Step): void {
  const { state, connectionId } = step
  for (const turn of [...state.turns])
    if (turn.request?.isTaken !== true && turn.request?.connectionId !== connectionId)
      endTurn(step, turn, { isIncomplete: true })
  expireQuestions(step, asked => asked !== connectionId)
}
