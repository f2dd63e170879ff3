// Says things that no client knows before it answers: a new kind of update, a notification and a request of its own.
import { methods, RequestError } from '@agentclientprotocol/sdk/unstable'
import type { Turn } from '../turn.ts'
import type { Fault } from './fault.ts'

export const unknownUpdates: Fault = {
  name: 'unknown-updates',
  async prompt(firing, turn) {
    firing.fire()
    const sessionId = turn.session.id
    // As a plain string: what is sent is not what the schema has under this name.
    const method: string = methods.client.session.update
    await turn.client.notify(method, { sessionId, update: { sessionUpdate: 'example_update', example: true } })
    await turn.client.notify('_example/thing', { sessionId, example: true })
    await ask(turn)
    return undefined
  },
}

/** A client may well refuse what it does not know. */
async function ask(turn: Turn): Promise<void> {
  try {
    const options = { cancellationSignal: turn.signal, stopWaitingOnCancel: true }
    await turn.client.request('_example/ask', { sessionId: turn.session.id }, options)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
  }
}
