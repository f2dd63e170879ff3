// Pieces of what the person said, as the agent remembers it.
import { stripReplay } from '../../restore/replay/mark.ts'
import { closeGrowing } from '../answer.ts'
import { readBlock, readString } from '../blocks.ts'
import { squeeze } from '../clip.ts'
import { addToTold, growTold, openTold } from '../reported-messages.ts'
import type { PromptRequest, Step } from '../state.ts'
import { closeLoose } from '../turns.ts'
import type { UpdateFamily } from './update.ts'

/** From here on a text is hardly in another by accident. */
const MIN_TELLING_CHARS = 20

export const userChunks: UpdateFamily = {
  variants: ['user_message_chunk'],
  apply(step, update) {
    tell(step, update['content'], readString(update['messageId']))
  },
}

function tell(step: Step, content: unknown, messageId: string | undefined): void {
  const turn = step.state.turns.at(-1)
  const body = readBlock(content)
  const text = body.type === 'text' ? stripReplay(body.text) : undefined
  if (text === '' || (turn?.request !== undefined && isEcho(turn.request, text))) return
  if (turn !== undefined) closeGrowing(step, turn)
  else if (step.state.loose !== undefined) closeLoose(step)
  const told = openTold(step, messageId)
  if (text !== undefined) growTold(step, told, { type: 'text', text, messageId })
  else addToTold(step, told, body)
}

/** What the agent repeats of the prompt that it is answering, perhaps in pieces, perhaps with something around it. */
function isEcho({ text: own, hasFiles }: PromptRequest, text: string | undefined): boolean {
  if (text === undefined) return hasFiles
  const told = squeeze(text)
  return own.includes(told) || (own.length >= MIN_TELLING_CHARS && told.includes(own))
}
