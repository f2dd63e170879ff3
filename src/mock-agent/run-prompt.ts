// Runs what a prompt asks for, until it is done or cancelled.
import type { StopReason } from '@agentclientprotocol/sdk/unstable'
import { findPrompt } from './prompts/index.ts'
import type { Turn } from './turn.ts'

export async function runPrompt(turn: Turn): Promise<StopReason> {
  turn.begin()
  const work = findPrompt(turn.asked).run(turn)
  // What still waits for the client when the turn is cancelled ends later, and by then nobody listens.
  work.catch(() => {})
  try {
    return await Promise.race([work, cancelled(turn.signal)])
  } catch (error) {
    if (turn.signal.aborted) return 'cancelled'
    throw error
  } finally {
    turn.complete()
  }
}

function cancelled(signal: AbortSignal): Promise<StopReason> {
  return new Promise(resolve => {
    if (signal.aborted) resolve('cancelled')
    signal.addEventListener('abort', () => resolve('cancelled'), { once: true })
  })
}
