// Fails.
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import type { Prompt } from './prompt.ts'

const INTERNAL_ERROR = -32603

export const error: Prompt = {
  name: 'error',
  async run(turn) {
    await turn.pause()
    throw new RequestError(INTERNAL_ERROR, 'mock process crashed')
  },
}
