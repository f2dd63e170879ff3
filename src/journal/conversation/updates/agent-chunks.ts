// Pieces of what the agent answers and of what it thinks.
import { addPart, currentTurn, growAnswer } from '../answer.ts'
import { readBlock, readString } from '../blocks.ts'
import type { UpdateFamily } from './update.ts'

export const agentChunks: UpdateFamily = {
  variants: ['agent_message_chunk', 'agent_thought_chunk'],
  apply(step, update, variant) {
    const body = readBlock(update['content'])
    const type = variant === 'agent_thought_chunk' ? 'thought' : 'text'
    const messageId = readString(update['messageId'])
    // Agents send empty pieces to say that they are there.
    if (body.type === 'text' && body.text === '') return
    const turn = currentTurn(step)
    if (body.type === 'text') growAnswer(step, turn, { type, text: body.text, messageId })
    else addPart(step, turn, body)
  },
}
