// Asks the person to choose: as a form where the client knows forms, otherwise as a permission whose options are the answers.
import { randomUUID } from 'node:crypto'
import type { StopReason } from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import type { Turn } from '../turn.ts'
import type { Prompt } from './prompt.ts'

const MESSAGE = 'Choose one option'
const IS_QUESTION = { 'rethread/question': true }

export const question: Prompt = {
  name: 'question',
  async run(turn) {
    const { form } = turn.capabilities.elicitation ?? {}
    return form === undefined || form === null ? await askByPermission(turn) : await askByForm(turn)
  },
}

/** Accepted, declined or put away: the turn is over. */
async function askByForm(turn: Turn): Promise<StopReason> {
  await turn.client.request(methods.client.elicitation.create, {
    mode: 'form',
    sessionId: turn.session.id,
    message: MESSAGE,
    requestedSchema: {
      type: 'object',
      properties: { answer: { type: 'string', title: 'Question', enum: ['Yes', 'No'] } },
      required: ['answer'],
    },
  })
  return 'end_turn'
}

async function askByPermission(turn: Turn): Promise<StopReason> {
  const { outcome } = await turn.client.request(methods.client.session.requestPermission, {
    sessionId: turn.session.id,
    toolCall: { toolCallId: `question-${randomUUID()}`, title: MESSAGE, kind: 'other', status: 'pending' },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once', _meta: IS_QUESTION },
      { optionId: 'no', name: 'No', kind: 'reject_once', _meta: IS_QUESTION },
    ],
    _meta: IS_QUESTION,
  })
  return outcome.outcome === 'cancelled' ? 'cancelled' : 'end_turn'
}
