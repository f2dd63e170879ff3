// The messages that are open: the answer of the agent, and messages of the person that the agent reports.
// Text parts grow with each chunk.
import type { ConversationMessage, PartBody } from './changes.ts'
import type { Growing, ReportedMessage, Step, Turn } from './state.ts'

/** The turn that content belongs to: the newest prompt, otherwise a turn without a prompt. */
export function currentTurn(step: Step): Turn {
  const { state } = step
  closeReported(step)
  const newest = state.turns.at(-1)
  if (newest !== undefined) return newest
  state.unprompted ??= makeTurn(undefined, state.lastUserId)
  return state.unprompted
}

export function makeTurn(request: Turn['request'], answers: string | undefined): Turn {
  return { request, answers, answer: undefined, usage: undefined, growing: undefined, tools: new Map() }
}

/** Creates the answer with its first content. */
export function ensureAnswer(step: Step, turn: Turn): ConversationMessage {
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

/** Appends to the open text part, or starts the next one. */
export function growAnswer(step: Step, turn: Turn, chunk: Chunk): void {
  const { growing } = turn
  if (growing !== undefined && continues(growing, chunk)) {
    const { id } = ensureAnswer(step, turn)
    growPart(step, id, growing, chunk)
    return
  }
  closeGrowing(step, turn)
  const { id } = ensureAnswer(step, turn)
  turn.growing = beginGrowing(step, id, chunk)
}

export function closeGrowing(step: Step, turn: Turn): void {
  if (turn.growing === undefined || turn.answer === undefined) return
  endGrowing(step, turn.answer.id, turn.growing)
  turn.growing = undefined
}

/** Adds a complete part. */
export function addPart(step: Step, turn: Turn, body: PartBody): void {
  closeGrowing(step, turn)
  const { id } = ensureAnswer(step, turn)
  step.emit({ type: 'part', messageId: id, part: { ...step.makePart(false), ...body } })
}

// Messages of the person that the agent reports: while loading a session, or when another client sent it a
// message.

export function closeReported(step: Step): void {
  const { reported } = step.state
  if (reported === undefined) return
  endPart(step, reported)
  step.emit({ type: 'message', message: { ...reported.message, completedAt: reported.updatedAt } })
  step.state.reported = undefined
}

export function openReported(step: Step, messageId: string | undefined): ReportedMessage {
  const { reported } = step.state
  const isOther = reported?.messageId !== undefined && messageId !== undefined && reported.messageId !== messageId
  if (reported !== undefined && !isOther) {
    reported.messageId ??= messageId
    reported.updatedAt = step.at
    reported.message.lastSeq = step.seq
    return reported
  }
  closeReported(step)
  const message = step.makeMessage('user')
  step.emit({ type: 'message', message: { ...message } })
  step.state.lastUserId = message.id
  step.state.reported = { message, updatedAt: step.at, messageId, growing: undefined }
  return step.state.reported
}

export function growReported(step: Step, reported: ReportedMessage, chunk: Chunk): void {
  const { growing, message } = reported
  if (growing !== undefined && continues(growing, chunk)) growPart(step, message.id, growing, chunk)
  else reported.growing = beginGrowing(step, message.id, chunk)
}

export function addToReported(step: Step, reported: ReportedMessage, body: PartBody): void {
  endPart(step, reported)
  step.emit({ type: 'part', messageId: reported.message.id, part: { ...step.makePart(false), ...body } })
}

function endPart(step: Step, reported: ReportedMessage): void {
  const { growing, message } = reported
  if (growing === undefined) return
  endGrowing(step, message.id, growing)
  reported.growing = undefined
}

// A text part that grows with each chunk.

export interface Chunk {
  type: 'text' | 'thought'
  text: string
  messageId: string | undefined
}

/** Another message id starts another part. Without ids, text of the same type continues the part. */
export function continues({ part, messageId }: Growing, chunk: Chunk): boolean {
  const isOther = messageId !== undefined && chunk.messageId !== undefined && messageId !== chunk.messageId
  return part.type === chunk.type && !isOther
}

function beginGrowing(step: Step, message: string, { type, text, messageId }: Chunk): Growing {
  const part = { ...step.makePart(true), type, text }
  step.emit({ type: 'part', messageId: message, part: { ...part }, delta: text })
  return { part, messageId }
}

function growPart(step: Step, message: string, growing: Growing, chunk: Chunk): void {
  const { part } = growing
  part.text += chunk.text
  part.updatedAt = step.at
  growing.messageId ??= chunk.messageId
  step.emit({ type: 'part', messageId: message, part: { ...part }, delta: chunk.text })
}

function endGrowing(step: Step, message: string, { part }: Growing): void {
  step.emit({ type: 'part', messageId: message, part: { ...part, isOpen: false } })
}
