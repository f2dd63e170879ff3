// Messages of the person that the agent tells of: when it loads a session, or when it was given something on another way.
import type { PartBody } from './changes.ts'
import { beginGrowing, type Chunk, continues, endGrowing, growPart } from './growing.ts'
import type { Step, ToldMessage } from './state.ts'

export function closeTold(step: Step): void {
  const { told } = step.state
  if (told === undefined) return
  endPart(step, told)
  step.emit({ type: 'message', message: { ...told.message, completedAt: told.updatedAt } })
  step.state.told = undefined
}

export function openTold(step: Step, messageId: string | undefined): ToldMessage {
  const { told } = step.state
  const isOther = told?.messageId !== undefined && messageId !== undefined && told.messageId !== messageId
  if (told !== undefined && !isOther) {
    told.messageId ??= messageId
    told.updatedAt = step.at
    told.message.lastSeq = step.seq
    return told
  }
  closeTold(step)
  const message = step.makeMessage('user')
  step.emit({ type: 'message', message: { ...message } })
  step.state.lastUserId = message.id
  step.state.told = { message, updatedAt: step.at, messageId, growing: undefined }
  return step.state.told
}

export function growTold(step: Step, told: ToldMessage, chunk: Chunk): void {
  const { growing, message } = told
  if (growing !== undefined && continues(growing, chunk)) growPart(step, message.id, growing, chunk)
  else told.growing = beginGrowing(step, message.id, chunk)
}

export function addToTold(step: Step, told: ToldMessage, body: PartBody): void {
  endPart(step, told)
  step.emit({ type: 'part', messageId: told.message.id, part: { ...step.makePart(false), ...body } })
}

function endPart(step: Step, told: ToldMessage): void {
  const { growing, message } = told
  if (growing === undefined) return
  endGrowing(step, message.id, growing)
  told.growing = undefined
}
