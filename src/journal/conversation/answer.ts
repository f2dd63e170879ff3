// What the agent says: which message it belongs to, and the text part that grows with it.
import type { ConversationMessage, PartBody } from './changes.ts'
import { beginGrowing, type Chunk, continues, endGrowing, growPart } from './growing.ts'
import { closeTold } from './reported-messages.ts'
import type { Step, Turn } from './state.ts'

/** Whose content it is that comes now: of the newest prompt, else of what is said when nobody asked. */
export function currentTurn(step: Step): Turn {
  const { state } = step
  closeTold(step)
  const newest = state.turns.at(-1)
  if (newest !== undefined) return newest
  state.loose ??= makeTurn(undefined, state.lastUserId)
  return state.loose
}

export function makeTurn(request: Turn['request'], answers: string | undefined): Turn {
  return { request, answers, answer: undefined, usage: undefined, growing: undefined, tools: new Map() }
}

/** It appears with its first content. */
export function appearAnswer(step: Step, turn: Turn): ConversationMessage {
  if (turn.answer === undefined) {
    const message = step.makeMessage('assistant')
    if (turn.answers !== undefined) message.answers = turn.answers
    if (turn.usage !== undefined) message.usage = turn.usage
    turn.answer = message
    step.emit({ type: 'message', message: { ...message } })
  }
  turn.answer.lastSeq = step.seq
  return turn.answer
}

/** Goes on with the part that grows, or begins the next. */
export function growAnswer(step: Step, turn: Turn, chunk: Chunk): void {
  const { growing } = turn
  if (growing !== undefined && continues(growing, chunk)) {
    const { id } = appearAnswer(step, turn)
    growPart(step, id, growing, chunk)
    return
  }
  closeGrowing(step, turn)
  const { id } = appearAnswer(step, turn)
  turn.growing = beginGrowing(step, id, chunk)
}

export function closeGrowing(step: Step, turn: Turn): void {
  if (turn.growing === undefined || turn.answer === undefined) return
  endGrowing(step, turn.answer.id, turn.growing)
  turn.growing = undefined
}

/** A part that is whole when it comes. */
export function addPart(step: Step, turn: Turn, body: PartBody): void {
  closeGrowing(step, turn)
  const { id } = appearAnswer(step, turn)
  step.emit({ type: 'part', messageId: id, part: { ...step.makePart(false), ...body } })
}
